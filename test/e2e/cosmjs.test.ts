/** Native transactions as CosmJS makes them, against a real node. */
import { createMultisigThresholdPubkey, makeSignDoc, pubkeyToAddress, serializeSignDoc } from '@cosmjs/amino'
import { Secp256k1, sha256 } from '@cosmjs/crypto'
import { type EncodeObject, Registry } from '@cosmjs/proto-signing'
import {
  defaultRegistryTypes,
  type DeliverTxResponse,
  makeMultisignedTxBytes,
  type SignerData,
  SigningStargateClient,
  type StdFee,
} from '@cosmjs/stargate'
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { Client, credentials } from '@grpc/grpc-js'
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx'
import type { Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { WALLET_NAMES, WALLETS, type WalletName } from '../../app/native/testing/cosmjs.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { FEE_COLLECTOR_ADDRESS, moduleAddress, parseAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { concatBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { authQuery, bankTx, txService } from '../../proto/index.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { callJsonRpc, CHAIN_ID, until, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

const GAS_PRICE = 4_000_000_000n
const feeOf = (gas: number): StdFee => ({
  amount: [{ denom: 'anat', amount: (GAS_PRICE * BigInt(gas)).toString() }],
  gas: String(gas),
})
const FEE = feeOf(200_000)
const FEE_ANAT = GAS_PRICE * 200_000n
const anat = (amount: bigint | number) => [{ denom: 'anat', amount: amount.toString() }]
const keyOf = (index: number): Uint8Array => hexToBytes(devnetAccounts()[index]?.privateKey as Hex)

interface User {
  readonly client: SigningStargateClient
  readonly address: string
}

const connect = async (key: Uint8Array, name: WalletName = 'eth_secp256k1 direct'): Promise<User> => {
  const wallet = await WALLETS[name](key)
  const [account] = await wallet.getAccounts()
  const options = { broadcastPollIntervalMs: 50 }
  const client = await SigningStargateClient.connectWithSigner(node().urls.comet, wallet, options)
  return { client, address: account?.address ?? '' }
}

const sendMessage = (from: string, to: string, amount: bigint | number): EncodeObject => ({
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress: from, toAddress: to, amount: anat(amount) },
})

const balanceOf = async (address: string): Promise<bigint> => {
  const response = await fetch(`${node().urls.rest}/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=anat`)
  const { balance } = (await response.json()) as { balance: { amount: string } }
  return BigInt(balance.amount)
}

const rest = async (path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }> => {
  const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${node().urls.rest}${path}`, options)
  return { status: response.status, body: await response.json() }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const fresh = (byte: number): string => encodeBech32(new Uint8Array(20).fill(byte))

/** The code of CheckTx, with its codespace and words. */
const broadcast = async (bytes: Uint8Array) => {
  const { code, codespace, log } = await node().comet<{ code: number; codespace: string; log: string }>(
    `broadcast_tx_sync?tx=${bytesToHex(bytes)}`,
  )
  return { code, codespace, log }
}

let user: User
let plain: User
beforeAll(async () => {
  user = await connect(keyOf(0))
  plain = await connect(new Uint8Array(32).fill(0x33), 'secp256k1 direct')
  await user.client.sendTokens(user.address, plain.address, anat(10n ** 20n), FEE)
})

describe('a transfer', () => {
  let sent: DeliverTxResponse
  const to = fresh(0x41)

  it('is included, moves coins and pays its fee', async () => {
    const before = await balanceOf(user.address)
    const { sequence } = await user.client.getSequence(user.address)
    sent = await user.client.sendTokens(user.address, to, anat(5), FEE, 'a memo')
    expect(sent).toMatchObject({ code: 0, rawLog: '', gasWanted: 200_000n })
    expect(sent.gasUsed).toBeGreaterThan(70_000n)
    expect(await balanceOf(user.address)).toBe(before - 5n - FEE_ANAT)
    expect(await balanceOf(to)).toBe(5n)
    const account = await user.client.getAccount(user.address)
    expect(account?.sequence).toBe(sequence + 1)
    expect(account?.pubkey?.type).toBe('os/PubKeyEthSecp256k1')
    const [index] = [parseInt(await node().ask('eth_getTransactionCount', accountAt(0).address, 'latest'), 16)]
    expect(index).toBe(sequence + 1)
  })

  it('tells of itself in the events of the SDK, in their order', () => {
    const collector = encodeBech32(FEE_COLLECTOR_ADDRESS)
    const amount = `${FEE_ANAT}anat`
    const events = sent.events.map(({ type, attributes }) => [
      type,
      Object.fromEntries(attributes.map(({ key, value }) => [key, value])),
    ])
    const own = { msg_index: '0' }
    expect(events).toEqual([
      ['coin_spent', { spender: user.address, amount }],
      ['coin_received', { receiver: collector, amount }],
      ['transfer', { recipient: collector, sender: user.address, amount }],
      ['message', { sender: user.address }],
      ['tx', { fee: amount, fee_payer: user.address }],
      ['tx', { acc_seq: expect.stringMatching(new RegExp(`^${user.address}/\\d+$`)) as string }],
      ['tx', { signature: expect.stringMatching(/^[A-Za-z0-9+/]{86}==$/) as string }],
      ['message', { action: '/cosmos.bank.v1beta1.MsgSend', sender: user.address, module: 'bank', ...own }],
      ['coin_spent', { spender: user.address, amount: '5anat', ...own }],
      ['coin_received', { receiver: to, amount: '5anat', ...own }],
      ['transfer', { recipient: to, sender: user.address, amount: '5anat', ...own }],
      ['message', { sender: user.address, ...own }],
    ])
    expect(sent.msgResponses).toEqual([{ typeUrl: '/cosmos.bank.v1beta1.MsgSendResponse', value: new Uint8Array(0) }])
  })

  it('is found by its hash and its events, over every interface', async () => {
    const found = await user.client.getTx(sent.transactionHash)
    expect(found).toMatchObject({ height: sent.height, code: 0, gasUsed: sent.gasUsed })
    const one = await rest(`/cosmos/tx/v1beta1/txs/${sent.transactionHash}`)
    const response = { txhash: sent.transactionHash, height: String(sent.height), code: 0, raw_log: '', logs: [] }
    expect(one).toMatchObject({
      status: 200,
      body: {
        tx: {
          body: {
            messages: [{ '@type': '/cosmos.bank.v1beta1.MsgSend', to_address: to, amount: anat(5) }],
            memo: 'a memo',
            unordered: false,
            timeout_timestamp: null,
          },
          auth_info: { fee: { gas_limit: '200000', amount: FEE.amount }, tip: null },
        },
        tx_response: { ...response, gas_wanted: '200000', gas_used: String(sent.gasUsed), codespace: '' },
      },
    })
    const { tx_response: shown } = one.body as { tx_response: { timestamp: string; events: unknown[] } }
    expect(shown.events.length).toBe(12)
    const { timestamp } = await createClient(node()).getBlock({ blockNumber: BigInt(sent.height) })
    expect(Date.parse(shown.timestamp)).toBe(Number(timestamp) * 1_000)
    const query = encodeURIComponent(`transfer.recipient='${to}'`)
    expect(await rest(`/cosmos/tx/v1beta1/txs?query=${query}`)).toMatchObject({
      status: 200,
      body: { total: '1', pagination: null, tx_responses: [{ ...response, timestamp: shown.timestamp }] },
    })
    const block = await rest(`/cosmos/tx/v1beta1/txs/block/${sent.height}`)
    expect(block).toMatchObject({ status: 200, body: { txs: [{ body: { memo: 'a memo' } }] } })
    const missing = await rest(`/cosmos/tx/v1beta1/txs/${'00'.repeat(32)}`)
    expect(missing).toMatchObject({ status: 404, body: { code: 5 } })
  })

  it('is found after a restart', async () => {
    await node().stop()
    await node().start()
    await until("CometBFT's RPC", () => node().comet('status'))
    // The gateway may find its application a little later than CometBFT does.
    const one = await until('REST', async () => {
      const reply = await rest(`/cosmos/tx/v1beta1/txs/${sent.transactionHash.toLowerCase()}`)
      return reply.status === 503 ? undefined : reply
    })
    expect(one).toMatchObject({ status: 200, body: { tx_response: { height: String(sent.height), code: 0 } } })
  })
})

describe('a key', () => {
  it.each(WALLET_NAMES)('of %s signs', async (name) => {
    const isPlain = name.startsWith('secp256k1')
    const key = isPlain ? new Uint8Array(32).fill(0x33) : keyOf(1)
    const { client, address } = await connect(key, name)
    const to = fresh(0x50 + WALLET_NAMES.indexOf(name))
    const { code, rawLog } = await client.sendTokens(address, to, anat(7), FEE)
    expect([code, rawLog]).toEqual([0, ''])
    expect(await balanceOf(to)).toBe(7n)
  })

  it('of an Ethereum account has one nonce for both families', async () => {
    const native = await connect(keyOf(2))
    const account = accountAt(2)
    const to = fresh(0x61)
    const recipient = bytesToHex(new Uint8Array(20).fill(0x61))
    const wallet = createWallet(node(), account)
    const start = Number(await node().ask<string>('eth_getTransactionCount', account.address, 'latest'))
    for (let round = 0; round < 2; round++) {
      const hash = await wallet.sendTransaction({ to: recipient, value: 1n })
      await createClient(node()).waitForTransactionReceipt({ hash })
      expect((await native.client.sendTokens(native.address, to, anat(1), FEE)).code).toBe(0)
    }
    expect(await native.client.getSequence(native.address)).toMatchObject({ sequence: start + 4 })
    expect(await balanceOf(to)).toBe(4n)
  })

  it('signs several transactions ahead of their block, in both families', async () => {
    const { client, address } = await connect(keyOf(3))
    const to = fresh(0x62)
    const { accountNumber, sequence } = await client.getSequence(address)
    const signed: Uint8Array[] = []
    for (const ahead of [0, 1, 3]) {
      const data: SignerData = { accountNumber, sequence: sequence + ahead, chainId: CHAIN_ID }
      const raw = await client.sign(address, [sendMessage(address, to, 1)], FEE, '', data)
      signed.push(TxRaw.encode(raw).finish())
    }
    const [first, second, fourth] = signed as [Uint8Array, Uint8Array, Uint8Array]
    expect(await broadcast(first)).toMatchObject({ code: 0 })
    expect(await broadcast(second)).toMatchObject({ code: 0 })
    const third = createWallet(node(), accountAt(3)).sendTransaction({
      to: bytesToHex(new Uint8Array(20).fill(0x62)),
      value: 1n,
      nonce: sequence + 2,
    })
    await third
    expect(await broadcast(fourth)).toMatchObject({ code: 0 })
    await until('all four', async () => ((await balanceOf(to)) === 4n ? true : undefined))
  })

  it('of a multisig of plain keys signs with its threshold', async () => {
    const keys = [1, 2, 3].map((byte) => new Uint8Array(32).fill(0x70 + byte))
    const pairs = await Promise.all(keys.map((key) => Secp256k1.makeKeypair(key)))
    const pubkeys = pairs.map(({ pubkey }) => ({
      type: 'tendermint/PubKeySecp256k1',
      value: base64(Secp256k1.compressPubkey(pubkey)),
    }))
    const multisig = createMultisigThresholdPubkey(pubkeys, 2, true)
    const address = pubkeyToAddress(multisig, 'nat')
    await user.client.sendTokens(user.address, address, anat(10n ** 18n), FEE)
    const { accountNumber, sequence } = await user.client.getSequence(address)
    const to = fresh(0x63)
    const amino = {
      type: 'cosmos-sdk/MsgSend',
      value: { from_address: address, to_address: to, amount: anat(9) },
    }
    const signBytes = serializeSignDoc(makeSignDoc([amino], FEE, CHAIN_ID, '', accountNumber, sequence))
    const bodyBytes = new Registry(defaultRegistryTypes).encodeTxBody({ messages: [sendMessage(address, to, 9)] })
    const sign = async (index: number): Promise<readonly [string, Uint8Array]> => {
      const signature = await Secp256k1.createSignature(sha256(signBytes), keys[index] as Uint8Array)
      const own = pubkeyToAddress(pubkeys[index] as (typeof pubkeys)[0], 'nat')
      return [own, concatBytes(signature.r(32), signature.s(32))]
    }
    const tooFew = makeMultisignedTxBytes(multisig, sequence, FEE, bodyBytes, new Map([await sign(0)]))
    expect(await broadcast(tooFew)).toMatchObject({ code: 4, codespace: 'sdk' })
    const both = new Map([await sign(0), await sign(2)])
    const result = await user.client.broadcastTx(
      makeMultisignedTxBytes(multisig, sequence, FEE, bodyBytes, both),
      120_000,
      50,
    )
    expect([result.code, result.rawLog]).toEqual([0, ''])
    expect(await balanceOf(to)).toBe(9n)
  })
})

describe('messages', () => {
  it('of one transaction are done in order', async () => {
    const to = fresh(0x64)
    const messages = [1, 2, 3].map((amount) => sendMessage(user.address, to, amount))
    const result = await user.client.signAndBroadcast(user.address, messages, feeOf(400_000))
    expect(result.code).toBe(0)
    expect(result.msgResponses.length).toBe(3)
    const indexes = result.events.flatMap(({ attributes }) =>
      attributes.filter(({ key }) => key === 'msg_index').map(({ value }) => value),
    )
    expect(new Set(indexes)).toEqual(new Set(['0', '1', '2']))
    expect(await balanceOf(to)).toBe(6n)
  })

  it('are undone together when one fails, and the fee is kept', async () => {
    const to = fresh(0x65)
    const before = await balanceOf(plain.address)
    const messages = [sendMessage(plain.address, to, 1), sendMessage(plain.address, to, 10n ** 25n)]
    const result = await plain.client.signAndBroadcast(plain.address, messages, feeOf(400_000))
    expect(result.code).toBe(5)
    expect(result.rawLog).toMatch(
      /^failed to execute message; message index: 1: spendable balance .* insufficient funds$/,
    )
    expect(result.msgResponses).toEqual([])
    expect(result.events.map(({ type }) => type)).toEqual([
      'coin_spent',
      'coin_received',
      'transfer',
      'message',
      'tx',
      'tx',
      'tx',
    ])
    expect(await balanceOf(to)).toBe(0n)
    expect(await balanceOf(plain.address)).toBe(before - GAS_PRICE * 400_000n)
    const { body } = await rest(`/cosmos/tx/v1beta1/txs/${result.transactionHash}`)
    expect(body).toMatchObject({ tx_response: { code: 5, codespace: 'sdk', data: '', raw_log: result.rawLog } })
  })

  it('that run out of gas keep the fee', async () => {
    const before = await balanceOf(plain.address)
    const messages = [sendMessage(plain.address, fresh(0x66), 1), sendMessage(plain.address, fresh(0x66), 1)]
    const result = await plain.client.signAndBroadcast(plain.address, messages, feeOf(100_000))
    expect(result).toMatchObject({ code: 11, gasUsed: 100_000n })
    expect(result.rawLog).toMatch(/^out of gas in location: .*: out of gas$/)
    expect(await balanceOf(plain.address)).toBe(before - GAS_PRICE * 100_000n)
  })

  it('send to many at once', async () => {
    const [one, two] = [fresh(0x67), fresh(0x68)]
    const message = (sum: number): EncodeObject => ({
      typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend',
      value: {
        inputs: [{ address: user.address, coins: anat(sum) }],
        outputs: [
          { address: one, coins: anat(1) },
          { address: two, coins: anat(2) },
        ],
      },
    })
    const result = await user.client.signAndBroadcast(user.address, [message(3)], FEE)
    expect(result.code).toBe(0)
    const types = result.events.slice(7).map(({ type }) => type)
    const each = ['coin_received', 'transfer']
    expect(types).toEqual(['message', 'message', 'coin_spent', ...each, ...each])
    expect([await balanceOf(one), await balanceOf(two)]).toEqual([1n, 2n])
    // What a handler refuses is in a block with its code, and has used its sequence, as in the SDK.
    const unequal = await user.client.signAndBroadcast(user.address, [message(4)], FEE)
    expect(unequal.code).toBe(4)
    const { body } = await rest(`/cosmos/tx/v1beta1/txs/${unequal.transactionHash}`)
    expect(body).toMatchObject({ tx_response: { code: 4, codespace: 'bank' } })
  })

  it('give coins to a contract without running it, and none to a module', async () => {
    const contract = encodeBech32(HISTORY_STORAGE.address)
    const before = await balanceOf(contract)
    expect((await user.client.sendTokens(user.address, contract, anat(3), FEE)).code).toBe(0)
    expect(await balanceOf(contract)).toBe(before + 3n)
    for (const address of [FEE_COLLECTOR_ADDRESS, moduleAddress('bank')]) {
      const result = await user.client.sendTokens(user.address, encodeBech32(address), anat(3), FEE)
      expect(result).toMatchObject({ code: 4, gasWanted: 200_000n })
      expect(result.rawLog).toMatch(/is not allowed to receive funds: unauthorized$/)
    }
  })

  it('are simulated', async () => {
    const messages = [sendMessage(user.address, fresh(0x69), 1)]
    const estimate = await user.client.simulate(user.address, messages, '')
    const { gasUsed } = await user.client.signAndBroadcast(user.address, messages, feeOf(200_000))
    expect(Math.abs(estimate - Number(gasUsed))).toBeLessThan(500)
    const tooMuch = [sendMessage(user.address, fresh(0x69), 10n ** 30n)]
    await expect(user.client.simulate(user.address, tooMuch, '')).rejects.toThrow(/insufficient funds/)
  })
})

describe('a transaction that cannot be valid', () => {
  const refused = async (
    change: (data: SignerData) => Partial<SignerData>,
    fee: StdFee = FEE,
    memo = '',
    timeoutHeight?: bigint,
  ) => {
    const { accountNumber, sequence } = await user.client.getSequence(user.address)
    const data = { accountNumber, sequence, chainId: CHAIN_ID }
    const signer = { ...data, ...change(data) }
    const messages = [sendMessage(user.address, fresh(0x6a), 1)]
    const raw = await user.client.sign(user.address, messages, fee, memo, signer, timeoutHeight)
    return broadcast(TxRaw.encode(raw).finish())
  }
  const same = () => ({})

  it('is refused with the code of the SDK', async () => {
    const sequenceText = /account sequence mismatch, expected \d+, got \d+: incorrect account sequence/
    const cases = {
      'another chain': [4, await refused(() => ({ chainId: 'other-1' }))],
      'another account': [4, await refused(({ accountNumber }) => ({ accountNumber: accountNumber + 1n }))],
      'an old sequence': [32, await refused(({ sequence }) => ({ sequence: sequence - 1 }))],
      'a sequence ahead': [32, await refused(({ sequence }) => ({ sequence: sequence + 1 }))],
      'no fee': [13, await refused(same, { amount: [], gas: '200000' })],
      'a zero fee': [13, await refused(same, { amount: anat(0), gas: '200000' })],
      'a low fee': [13, await refused(same, { amount: anat(1_950_000_000n * 200_000n), gas: '200000' })],
      'a fee in another coin': [13, await refused(same, { amount: [{ denom: 'wei', amount: '9' }], gas: '200000' })],
      'a long memo': [12, await refused(same, FEE, 'm'.repeat(257))],
      'too little gas for its size': [11, await refused(same, feeOf(21_000))],
      'more gas than a block': [41, await refused(same, { amount: anat(10n ** 30n), gas: '1000000001' })],
      'a fee that it cannot pay': [5, await refused(same, { amount: anat(10n ** 30n), gas: '200000' })],
      'a timeout that has passed': [30, await refused(same, FEE, '', 1n)],
    } as const
    for (const [name, [code, answer]] of Object.entries(cases)) {
      expect(answer, name).toMatchObject({ code, codespace: 'sdk' })
      if (code === 32) expect(answer.log, name).toMatch(sequenceText)
    }
  })

  it('is refused when its signature or its bytes were changed', async () => {
    const raw = await user.client.sign(user.address, [sendMessage(user.address, fresh(0x6b), 1)], FEE, '')
    const [signature = new Uint8Array(0)] = raw.signatures
    const broken = signature.with(10, (signature[10] ?? 0) ^ 1)
    const encode = (changed: Partial<TxRaw>): Uint8Array => TxRaw.encode({ ...raw, ...changed }).finish()
    expect(await broadcast(encode({ signatures: [broken] }))).toMatchObject({ code: 4, codespace: 'sdk' })
    expect(await broadcast(encode({ signatures: [] }))).toMatchObject({ code: 15, codespace: 'sdk' })
    expect(await broadcast(encode({ bodyBytes: new Uint8Array(0) }))).toMatchObject({ code: 18, codespace: 'sdk' })
    expect(await broadcast(encode({}).subarray(0, 100))).toMatchObject({ code: 2, codespace: 'sdk' })
  })

  it('of an account that is not there is refused', async () => {
    const nobody = await connect(new Uint8Array(32).fill(0x77))
    expect(await nobody.client.getAccount(nobody.address)).toBeNull()
    const data = { accountNumber: 1n, sequence: 0, chainId: CHAIN_ID }
    const messages = [sendMessage(nobody.address, fresh(0x6c), 1)]
    const raw = await nobody.client.sign(nobody.address, messages, FEE, '', data)
    expect(await broadcast(TxRaw.encode(raw).finish())).toMatchObject({ code: 9, codespace: 'sdk' })
  })

  it('is nothing for eth_sendRawTransaction', async () => {
    const raw = await user.client.sign(user.address, [sendMessage(user.address, fresh(0x6d), 1)], FEE, '')
    const hex = bytesToHex(TxRaw.encode(raw).finish())
    expect(await callJsonRpc(node().urls.http, 'eth_sendRawTransaction', hex)).toMatchObject({
      error: { code: -32000, message: 'transaction type not supported' },
    })
  })
})

describe('REST', () => {
  it('takes transactions, and simulates them', async () => {
    const to = fresh(0x6e)
    const raw = await user.client.sign(user.address, [sendMessage(user.address, to, 4)], FEE, '')
    const tx_bytes = base64(TxRaw.encode(raw).finish())
    const simulated = await rest('/cosmos/tx/v1beta1/simulate', { tx_bytes })
    expect(simulated).toMatchObject({
      status: 200,
      body: { gas_info: { gas_used: expect.stringMatching(/^7\d{4}$/) as string } },
    })
    const sent = await rest('/cosmos/tx/v1beta1/txs', { tx_bytes, mode: 'BROADCAST_MODE_SYNC' })
    expect(sent).toMatchObject({ status: 200, body: { tx_response: { code: 0, raw_log: '', height: '0' } } })
    const { txhash } = (sent.body as { tx_response: { txhash: string } }).tx_response
    await until('the transaction', async () =>
      (await rest(`/cosmos/tx/v1beta1/txs/${txhash}`)).status === 200 ? true : undefined,
    )
    expect(await balanceOf(to)).toBe(4n)
    const again = await rest('/cosmos/tx/v1beta1/txs', { tx_bytes, mode: 'BROADCAST_MODE_SYNC' })
    expect(again).toMatchObject({ status: 200, body: { tx_response: { code: 32, codespace: 'sdk', txhash } } })
    const decoded = await rest('/cosmos/tx/v1beta1/decode', { tx_bytes })
    expect(decoded).toMatchObject({ status: 200, body: { tx: { body: { messages: [{ to_address: to }] } } } })
    expect(await rest('/cosmos/tx/v1beta1/encode', decoded.body)).toEqual({ status: 200, body: { tx_bytes } })
  })

  it('shows accounts', async () => {
    const one = await rest(`/cosmos/auth/v1beta1/accounts/${user.address}`)
    const { sequence, accountNumber } = await user.client.getSequence(user.address)
    expect(one).toMatchObject({
      status: 200,
      body: {
        account: {
          '@type': '/cosmos.auth.v1beta1.BaseAccount',
          address: user.address,
          pub_key: { '@type': '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey' },
          account_number: String(accountNumber),
          sequence: String(sequence),
        },
      },
    })
    const collector = await rest('/cosmos/auth/v1beta1/module_accounts/fee_collector')
    expect(collector).toMatchObject({
      body: { account: { '@type': '/cosmos.auth.v1beta1.ModuleAccount', name: 'fee_collector' } },
    })
    expect(await rest(`/cosmos/auth/v1beta1/accounts/${fresh(0x7f)}`)).toMatchObject({ status: 404, body: { code: 5 } })
    expect(await rest('/cosmos/auth/v1beta1/accounts/nonsense')).toMatchObject({ status: 400, body: { code: 3 } })
    expect(await rest('/cosmos/auth/v1beta1/bech32')).toMatchObject({ body: { bech32_prefix: 'nat' } })
    const { body } = await rest('/cosmos/auth/v1beta1/accounts?pagination.limit=3')
    expect((body as { accounts: unknown[] }).accounts.length).toBe(3)
  })

  it('shows what the bank and the node say', async () => {
    expect(await rest('/cosmos/bank/v1beta1/denoms_metadata/anat')).toMatchObject({
      body: { metadata: { base: 'anat', display: 'NAT', denom_units: [{ exponent: 0 }, { exponent: 18 }] } },
    })
    expect(await rest('/cosmos/bank/v1beta1/params')).toMatchObject({
      body: { params: { default_send_enabled: true } },
    })
    const { body } = await rest('/cosmos/bank/v1beta1/denom_owners/anat?pagination.limit=4')
    expect((body as { denom_owners: unknown[] }).denom_owners.length).toBe(4)
    expect(await rest('/cosmos/base/node/v1beta1/config')).toMatchObject({
      body: { minimum_gas_price: '2000000000.000000000000000000anat' },
    })
    expect(await rest('/cosmos/base/node/v1beta1/status')).toMatchObject({ status: 200 })
  })

  it('shows an Ethereum transaction by its hash', async () => {
    const hash = await createWallet(node(), accountAt(4)).sendTransaction({ to: accountAt(5).address, value: 1n })
    await createClient(node()).waitForTransactionReceipt({ hash })
    const shown = await rest(`/cosmos/tx/v1beta1/txs/${hash}`)
    expect(shown).toMatchObject({
      status: 200,
      body: {
        tx: { body: { messages: [{ '@type': '/cosmos.evm.vm.v1.MsgEthereumTx' }] } },
        tx_response: { code: 0, gas_used: '21000', events: [{ type: 'ethereum_tx' }] },
      },
    })
    const { txhash } = (shown.body as { tx_response: { txhash: string } }).tx_response
    const again = await until('the index', async () => {
      const found = await rest(`/cosmos/tx/v1beta1/txs/${txhash}`)
      return found.status === 200 ? found : undefined
    })
    expect(again).toEqual(shown)
  })
})

describe('gRPC', () => {
  const call = <Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
  ): Promise<MessageShape<Output>> => {
    const grpc = new Client(node().grpc, credentials.createInsecure())
    return new Promise<MessageShape<Output>>((resolve, reject) => {
      grpc.makeUnaryRequest(
        `/${method.parent.typeName}/${method.name}`,
        (message: MessageShape<Input>) => Buffer.from(toBinary(method.input, message)),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        create(method.input, request),
        (error, reply) => (error === null && reply !== undefined ? resolve(reply) : reject(error)),
      )
    }).finally(() => grpc.close())
  }

  it('broadcasts, finds and tells of the same as REST', async () => {
    const to = fresh(0x6f)
    const raw = await user.client.sign(user.address, [sendMessage(user.address, to, 6)], FEE, '')
    const txBytes = TxRaw.encode(raw).finish()
    const { txResponse } = await call(txService.Service.method.broadcastTx, { txBytes, mode: 2 })
    expect(txResponse).toMatchObject({ code: 0, codespace: '' })
    const hash = txResponse?.txhash ?? ''
    const found = await until('the transaction', () => call(txService.Service.method.getTx, { hash }))
    const { body } = await rest(`/cosmos/tx/v1beta1/txs/${hash}`)
    const { height, gas_used, events } = (body as { tx_response: Record<string, unknown> }).tx_response
    expect(found.txResponse).toMatchObject({ height: BigInt(height as string), gasUsed: BigInt(gas_used as string) })
    expect(found.txResponse?.events.length).toBe((events as unknown[]).length)
    expect(await balanceOf(to)).toBe(6n)
    const { info } = await call(authQuery.Query.method.accountInfo, { address: user.address })
    const { sequence, accountNumber } = await user.client.getSequence(user.address)
    expect(info).toMatchObject({ sequence: BigInt(sequence), accountNumber })
    await expect(call(authQuery.Query.method.account, { address: fresh(0x7f) })).rejects.toMatchObject({ code: 5 })
    await expect(call(txService.Service.method.getTx, { hash: '00'.repeat(32) })).rejects.toMatchObject({ code: 5 })
  })
})

it('an encoded message is what this software reads', async () => {
  const message = sendMessage(user.address, encodeBech32(parseAddress(accountAt(1).address)), 1)
  const bytes = new Registry(defaultRegistryTypes).encode(message)
  expect(fromBinary(bankTx.MsgSendSchema, bytes).fromAddress).toBe(user.address)
})
