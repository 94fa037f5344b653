"""Sends NAT, deploys a contract, calls it, reads its logs and follows new heads with web3.py.

Run "make devnet", then: pip install web3 && python examples/web3_client.py
RPC_URL, WS_URL and PRIVATE_KEY override the devnet's.
"""

import asyncio
import json
import os
from pathlib import Path

from web3 import AsyncWeb3, Web3, WebSocketProvider

RPC_URL = os.environ.get("RPC_URL", "http://localhost:8545")
WS_URL = os.environ.get("WS_URL", "ws://localhost:8546")
# The first account of the devnet: everyone knows this key.
KEY = os.environ.get("PRIVATE_KEY", "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
RECEIVER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
ARTIFACT = json.loads((Path(__file__).parent / "../test/e2e/contracts/token.json").read_text())

w3 = Web3(Web3.HTTPProvider(RPC_URL))
account = w3.eth.account.from_key(KEY)


def send(transaction):
    """Fills what is missing, signs, sends, and waits for the receipt."""
    if "nonce" not in transaction:
        transaction["nonce"] = w3.eth.get_transaction_count(account.address, "pending")
    if "maxFeePerGas" not in transaction:
        tip = w3.eth.max_priority_fee
        transaction["maxPriorityFeePerGas"] = tip
        transaction["maxFeePerGas"] = 2 * w3.eth.get_block("latest")["baseFeePerGas"] + tip
    transaction.update({"from": account.address, "chainId": w3.eth.chain_id})
    if "gas" not in transaction:
        transaction["gas"] = w3.eth.estimate_gas(transaction)
    signed = account.sign_transaction(transaction)
    receipt = w3.eth.wait_for_transaction_receipt(w3.eth.send_raw_transaction(signed.raw_transaction), poll_latency=0.1)
    if receipt["status"] != 1:
        raise RuntimeError(f"transaction {receipt['transactionHash'].to_0x_hex()} failed")
    return receipt


async def follow_heads(count):
    async with AsyncWeb3(WebSocketProvider(WS_URL)) as socket:
        await socket.eth.subscribe("newHeads")
        async for message in socket.socket.process_subscriptions():
            head = message["result"]
            print(f"new head {head['number']} {head['hash'].to_0x_hex()}")
            count -= 1
            if count == 0:
                return


def main():
    paid = send({"to": RECEIVER, "value": w3.to_wei(1, "ether")})
    print(f"sent 1 NAT in block {paid['blockNumber']}: {paid['transactionHash'].to_0x_hex()}")
    print(f"balance of the receiver: {w3.from_wei(w3.eth.get_balance(RECEIVER), 'ether')} NAT")

    factory = w3.eth.contract(abi=ARTIFACT["abi"], bytecode=ARTIFACT["bytecode"])
    creation = send({"data": factory.constructor(w3.to_wei(1000, "ether")).data_in_transaction})
    token = w3.eth.contract(address=creation["contractAddress"], abi=ARTIFACT["abi"])
    print(f"deployed the token at {token.address}")

    moved = send({"to": token.address, "data": token.encode_abi("transfer", args=[RECEIVER, 5])})
    print(f"tokens of the receiver: {token.functions.balanceOf(RECEIVER).call()}")
    logs = token.events.Transfer().get_logs(from_block=paid["blockNumber"])
    print(f"logs of the token up to block {moved['blockNumber']}: {len(logs)}")

    asyncio.run(follow_heads(3))


if __name__ == "__main__":
    main()
