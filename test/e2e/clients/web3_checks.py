"""What a program with web3.py relies on. Prints one line for each check; the first failure ends it with status 1."""

import asyncio
import json
import os
import sys
from pathlib import Path

from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import ContractCustomError, ContractLogicError, ContractPanicError, TransactionNotFound, Web3RPCError

w3 = Web3(Web3.HTTPProvider(os.environ["RPC_URL"]))
WS_URL = os.environ["WS_URL"]
owner = w3.eth.account.from_key(os.environ["PRIVATE_KEY"])
other = w3.eth.account.create()
ARTIFACT = json.loads((Path(__file__).parent / "../contracts/token.json").read_text())
SUPPLY = 10**21


def passed(name):
    print(f"ok {name}", flush=True)


def wait(transaction_hash):
    return w3.eth.wait_for_transaction_receipt(transaction_hash, poll_latency=0.05)


def send_signed(account, **fields):
    transaction = {
        "chainId": w3.eth.chain_id,
        "nonce": w3.eth.get_transaction_count(account.address, "pending"),
        "gas": 21_000,
        "value": 0,
        **fields,
    }
    if "gasPrice" not in transaction:
        transaction.setdefault("maxPriorityFeePerGas", w3.eth.max_priority_fee)
        transaction.setdefault("maxFeePerGas", 10**10)
    return w3.eth.send_raw_transaction(account.sign_transaction(transaction).raw_transaction)


def expect_error(kind, text, action):
    try:
        action()
    except kind as error:
        assert text in str(error), f"{error} does not tell of {text}"
        return error
    raise AssertionError(f"{kind.__name__} expected")


def check_middleware_sends():
    """The signing middleware fills nonce, fees and gas by itself."""
    from web3.middleware import SignAndSendRawMiddlewareBuilder

    signing = Web3(Web3.HTTPProvider(os.environ["RPC_URL"]))
    signing.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(owner), layer=0)
    sent = signing.eth.send_transaction({"from": owner.address, "to": other.address, "value": 10**18})
    receipt = wait(sent)
    assert receipt["status"] == 1 and receipt["gasUsed"] == 21_000
    assert w3.eth.get_balance(other.address) == 10**18
    passed("a transfer with what the middleware fills in")


def check_types():
    for fields in (
        {"gasPrice": w3.eth.gas_price},
        {"gasPrice": w3.eth.gas_price, "accessList": [], "type": 1},
        {"type": 2},
    ):
        sent = send_signed(owner, to=other.address, value=1, **fields)
        assert wait(sent)["status"] == 1
        transaction = w3.eth.get_transaction(sent)
        assert transaction["type"] == fields.get("type", 0) and transaction["from"] == owner.address
    passed("types 0, 1 and 2")


def deploy():
    factory = w3.eth.contract(abi=ARTIFACT["abi"], bytecode=ARTIFACT["bytecode"])
    data = factory.constructor(SUPPLY).data_in_transaction
    gas = w3.eth.estimate_gas({"from": owner.address, "data": data})
    receipt = wait(send_signed(owner, data=data, gas=gas))
    token = w3.eth.contract(address=receipt["contractAddress"], abi=ARTIFACT["abi"])
    assert token.functions.name().call() == "Test Token"
    passed("a deployment")
    return token, receipt["blockNumber"]


def check_logs(token, first_block):
    watch = token.events.Transfer.create_filter(from_block="latest")
    data = token.encode_abi("transfer", args=[other.address, 5])
    receipt = wait(send_signed(owner, to=token.address, data=data, gas=100_000))
    [event] = token.events.Transfer().process_receipt(receipt)
    assert event["args"]["value"] == 5
    assert token.functions.balanceOf(other.address).call() == 5
    assert token.functions.balanceOf(other.address).call(block_identifier=receipt["blockNumber"] - 1) == 0
    values = [log["args"]["value"] for log in token.events.Transfer().get_logs(from_block=first_block)]
    assert values == [SUPPLY, 5], values
    assert [entry["args"]["value"] for entry in watch.get_new_entries()] == [5]
    assert watch.get_new_entries() == []
    passed("logs and filters")


def check_blocks():
    block = w3.eth.get_block("latest", full_transactions=True)
    assert w3.eth.get_block(block["hash"])["number"] == block["number"]
    history = w3.eth.fee_history(4, "latest", [50])
    assert len(history["baseFeePerGas"]) == len(history["gasUsedRatio"]) + 1
    expect_error(TransactionNotFound, "not found", lambda: w3.eth.get_transaction(b"\x77" * 32))
    expect_error(TransactionNotFound, "not found", lambda: w3.eth.get_transaction_receipt(b"\x77" * 32))
    passed("blocks and fees")


def check_errors(token):
    overdraw = token.functions.transfer(other.address, 2 * SUPPLY)
    expect_error(ContractLogicError, "balance is too low", lambda: overdraw.call({"from": owner.address}))
    expect_error(ContractLogicError, "balance is too low", lambda: overdraw.estimate_gas({"from": owner.address}))
    take = token.functions.transferFrom(owner.address, other.address, 1)
    expect_error(ContractCustomError, "0x", lambda: take.call({"from": other.address}))
    expect_error(ContractPanicError, "", token.functions.divide(1, 0).call)
    expect_error(Web3RPCError, "nonce too low", lambda: send_signed(owner, to=other.address, nonce=0))
    poor = w3.eth.account.create()
    expect_error(Web3RPCError, "insufficient funds", lambda: send_signed(poor, to=other.address))
    expect_error(
        Web3RPCError, "tx underpriced", lambda: send_signed(owner, to=other.address, gasPrice=w3.to_wei("1.9", "gwei"))
    )
    passed("errors")


async def check_socket(token):
    async with AsyncWeb3(WebSocketProvider(WS_URL)) as socket:
        assert await socket.eth.chain_id == 2517
        kinds = {
            await socket.eth.subscribe("newHeads"): "head",
            await socket.eth.subscribe("logs", {"address": token.address}): "log",
            await socket.eth.subscribe("newPendingTransactions"): "pending",
        }
        data = token.encode_abi("transfer", args=[other.address, 7])
        sent = send_signed(owner, to=token.address, data=data, gas=100_000)
        seen = {"head": [], "log": [], "pending": []}
        async for message in socket.socket.process_subscriptions():
            seen[kinds[message["subscription"]]].append(message["result"])
            logged = {log["blockNumber"] for log in seen["log"]}
            if logged and logged <= {head["number"] for head in seen["head"]}:
                break
        assert sent in [bytes(pending) for pending in seen["pending"]] or sent in seen["pending"], seen["pending"]
        assert [int(log["data"].hex(), 16) for log in seen["log"]] == [7]
    passed("subscriptions")


def main():
    assert w3.is_connected() and w3.eth.chain_id == 2517
    check_middleware_sends()
    check_types()
    token, first_block = deploy()
    check_logs(token, first_block)
    check_blocks()
    check_errors(token)
    asyncio.run(asyncio.wait_for(check_socket(token), 20))


if __name__ == "__main__":
    sys.exit(main())
