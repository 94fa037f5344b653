/** cosmos.evm.vm.v1.Query of a running application, over REST, gRPC and ABCI: the answers are those of JSON-RPC. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrivateKeyAccount } from 'viem/accounts'
import { parseAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { invariant } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { evmQuery } from '../../proto/index.ts'
import { type Gateway, startGateway } from '../../rpc/gateway.ts'
import { SILENT_LOG } from '../../rpc/log.ts'
import { methodPath } from '../../rpc/native/services.ts'
import { GATEWAY_DEFAULTS } from '../../rpc/settings.ts'
import { assemble } from './programs.ts'
import { Random } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { EVM_CHAIN_ID, GWEI, signTransaction } from './traffic.ts'
import { gossip, makeWorld, pendingNonce, type World } from './world.ts'

const { method } = evmQuery.Query
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const CALLS = { tracer: 'callTracer' }

let folder = ''
let world: World
let node: SimNode
let gateway: Gateway
let client: Client
const raws: Uint8Array[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evm-service-'))
  world = await makeWorld({ random: new Random(751), nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
  const [first] = world.nodes
  invariant(first !== undefined, 'a world has nodes')
  node = first
  await world.driver.step()
  for (const account of world.accounts.slice(0, 3)) {
    const nonce = await pendingNonce(node, account)
    const raw = await signTransaction(account, 2, { nonce, to: account.address, value: 1n, maxFeePerGas: 50n * GWEI })
    expect(gossip(world.nodes, raw)).toBe(true)
  }
  const { block } = await world.driver.step()
  raws.push(...block.transactions.slice(1))
  expect(raws).toHaveLength(3)
  await world.driver.step()
  const native = { restAddress: '127.0.0.1:0', grpcAddress: '127.0.0.1:0', address: undefined, wsAddress: undefined }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...native }, node.application, SILENT_LOG)
  client = new Client(gateway.grpcAddress ?? '', credentials.createInsecure())
})

afterAll(async () => {
  client.close()
  await gateway.close()
  await world.close()
  rmSync(folder, { recursive: true })
})

const get = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
  const response = await fetch(`http://${gateway.restAddress}/cosmos/evm/vm/v1/${path}`, { headers })
  return { status: response.status, ...((await response.json()) as object) }
}

/** Asks over gRPC; a refusal is its code and words. */
const ask = <Input extends DescMessage, Output extends DescMessage>(
  called: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
) =>
  new Promise<ReturnType<typeof fromBinary<Output>>>((resolve, reject) => {
    client.makeUnaryRequest(
      methodPath(called),
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => fromBinary(called.output, bytes),
      toBinary(called.input, create(called.input, request)),
      (error: ServiceError | null, value) => {
        if (error !== null || value === undefined) reject(error ?? new TypeError('no answer'))
        else resolve(value)
      },
    )
  })

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))
const parsed = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())
const accountAt = (index: number): PrivateKeyAccount => {
  const account = world.accounts[index]
  invariant(account !== undefined, 'a world has accounts')
  return account
}
const LATEST = { tag: 'latest' } as const

describe('the state', () => {
  it('of an account is that of JSON-RPC, at the height that is asked for', async () => {
    const { address } = accountAt(0)
    const [balance, nonce] = [
      BigInt((await node.ask('balance', { address, block: LATEST })) as string).toString(),
      String(Number(await node.ask('transactionCount', { address, block: LATEST }))),
    ]
    const codeHash = bytesToHex(keccak256(new Uint8Array(0)))
    expect(nonce).toBe('1')
    expect(await get(`account/${address}`)).toEqual({ status: 200, balance, code_hash: codeHash, nonce })
    expect(await get(`account/${address.slice(2)}`)).toEqual({ status: 200, balance, code_hash: codeHash, nonce })
    expect(await get(`balances/${address}`)).toEqual({ status: 200, balance })
    const height = { 'x-cosmos-block-height': '1' }
    expect(await get(`account/${address}`, height)).toMatchObject({ nonce: '0', balance: (10n ** 24n).toString() })
    const nobody = `0x${'00'.repeat(19)}77`
    expect(await get(`account/${nobody}`)).toEqual({ status: 200, balance: '0', code_hash: codeHash, nonce: '0' })
    expect(await get('account/0x12')).toMatchObject({
      status: 400,
      code: 3,
      message: "address '0x12' is not a valid ethereum hex address: invalid address",
    })
  })

  it('of a contract is its code and its slots', async () => {
    const address = bytesToHex(HISTORY_STORAGE.address)
    expect(await get(`codes/${address}`)).toEqual({
      status: 200,
      code: Buffer.from(HISTORY_STORAGE.code).toString('base64'),
    })
    expect(await get(`codes/${accountAt(0).address}`)).toEqual({ status: 200, code: null })
    // The place of block 1 in EIP-2935's ring.
    const { hash } = (await node.ask('block', { block: { number: 1 }, full: false })) as { hash: string }
    expect(await get(`storage/${address}/0x1`)).toEqual({ status: 200, value: hash })
    expect(await get(`storage/${address}/${'00'.repeat(31)}01`)).toEqual({ status: 200, value: hash })
    expect(await get(`storage/${address}/0x${'11'.repeat(33)}`)).toMatchObject({ status: 400, code: 3 })
  })

  it('has native names for accounts and validators', async () => {
    const { address } = accountAt(0)
    const native = encodeBech32(parseAddress(address))
    const named = (await get(`cosmos_account/${address}`)) as { readonly account_number: string }
    expect(named).toMatchObject({ status: 200, cosmos_address: native, sequence: '1' })
    expect(Number(named.account_number)).toBeGreaterThan(0)
    const nobody = `0x${'00'.repeat(19)}77`
    expect(await get(`cosmos_account/${nobody}`)).toMatchObject({ sequence: '0', account_number: '0' })
    const [validator] = world.driver.setup.validators
    invariant(validator !== undefined, 'a chain has validators')
    const consensus = encodeBech32(validator.address, 'natvalcons')
    const { accountAddress } = await ask(method.validatorAccount, { consAddress: consensus })
    expect(accountAddress).toMatch(/^nat1/)
    expect(await get(`validator_account/${encodeBech32(new Uint8Array(20), 'natvalcons')}`)).toMatchObject({
      status: 404,
      code: 5,
    })
    expect(await get(`validator_account/${native}`)).toMatchObject({ status: 400, code: 3 })
  })

  it('has what is fixed', async () => {
    const open = { access_type: 'ACCESS_TYPE_PERMISSIONLESS', access_control_list: [] }
    expect(await get('params')).toEqual({
      status: 200,
      params: {
        evm_denom: 'anat',
        extra_eips: [],
        evm_channels: [],
        access_control: { create: open, call: open },
        active_static_precompiles: ['400', '800', '801', '804', '805', '806', '900', '901', '902', '903'].map(
          (end) => `0x${end.padStart(40, '0')}`,
        ),
        history_serve_window: '8191',
        extended_denom_options: { extended_denom: 'anat' },
      },
    })
    const { config } = (await get('config')) as { readonly config: object }
    expect(config).toMatchObject({
      homestead_block: '0',
      london_block: '0',
      shanghai_time: '0',
      osaka_time: '0',
      verkle_time: null,
      chain_id: String(EVM_CHAIN_ID),
      denom: 'anat',
      decimals: '18',
    })
    expect(await get('base_fee')).toEqual({ status: 200, base_fee: '1900000000' })
    expect((await ask(method.baseFee, {})).baseFee).toBe('1900000000')
    expect(await get('min_gas_price')).toEqual({ status: 200, min_gas_price: '1900000000' })
    const feemarket = await fetch(`http://${gateway.restAddress}/cosmos/evm/feemarket/v1/block_gas`)
    expect([feemarket.status, await feemarket.json()]).toMatchObject([501, { code: 12 }])
  })

  it('is answered over ABCI too, and what executes is not', async () => {
    const abciQuery = (called: DescMethodUnary, data: Uint8Array) =>
      node.application.abciQuery({ path: methodPath(called), data, height: 0, prove: false })
    const request = toBinary(method.account.input, create(method.account.input, { address: accountAt(0).address }))
    const { value, code } = await abciQuery(method.account, request)
    expect([code, fromBinary(method.account.output, value).nonce]).toEqual([0, 1n])
    expect(await abciQuery(method.ethCall, new Uint8Array(0))).toMatchObject({ code: 6, codespace: 'sdk' })
  })
})

/** Emits a log with a topic and returns a word. */
const LOGGING = bytesToHex(assemble(7, 'PUSH0', 'MSTORE', 0x55, 32, 'PUSH0', 'LOG1', 32, 'PUSH0', 'RETURN'))
const REVERTING = bytesToHex(assemble(9, 'PUSH0', 'MSTORE', 32, 'PUSH0', 'REVERT'))

describe('a call', () => {
  const args = json({ to: CONTRACT, input: '0x' })
  const withCode = (code: string) => ({ args, gasCap: 1_000_000n, overrides: json({ [CONTRACT]: { code } }) })

  it('says what eth_call says, and its gas and logs', async () => {
    const answer = await ask(method.ethCall, withCode(LOGGING))
    const stateOverrides = { [CONTRACT]: { code: LOGGING } } as const
    const called = await node.ask('call', { call: { to: CONTRACT }, block: LATEST, stateOverrides })
    expect(bytesToHex(answer.ret)).toBe(called)
    expect([answer.vmError, answer.hash]).toEqual(['', `0x${'00'.repeat(32)}`])
    expect(answer.gasUsed).toBeGreaterThan(21_000n)
    expect(answer.maxUsedGas).toBe(answer.gasUsed)
    const [log] = answer.logs
    expect(log).toMatchObject({ topics: [`0x${'00'.repeat(31)}55`], blockNumber: BigInt(node.application.height) })
    expect(log?.address.toLowerCase()).toBe(CONTRACT)
    const { hash, timestamp } = (await node.ask('block', { block: LATEST, full: false })) as Record<string, string>
    expect([bytesToHex(answer.blockHash), answer.blockTimestamp]).toEqual([hash, BigInt(timestamp ?? 0)])
  })

  it('that reverts is an answer, with what the contract said', async () => {
    const answer = await ask(method.ethCall, withCode(REVERTING))
    expect([answer.vmError, BigInt(bytesToHex(answer.ret))]).toEqual(['execution reverted', 9n])
    const estimate = await ask(method.estimateGas, withCode(REVERTING))
    expect(estimate).toMatchObject({ gas: 0n, vmError: 'execution reverted' })
    expect(BigInt(bytesToHex(estimate.ret))).toBe(9n)
  })

  it('is bounded by the gas of the request', async () => {
    const spend = bytesToHex(assemble('JUMPDEST', 'PUSH0', 'JUMP'))
    const answer = await ask(method.ethCall, { ...withCode(spend), gasCap: 50_000n })
    expect([answer.vmError, answer.gasUsed]).toEqual([expect.stringContaining('out of gas'), 50_000n])
    await expect(ask(method.estimateGas, { ...withCode(spend), gasCap: 50_000n })).rejects.toMatchObject({
      code: 2,
      details: 'gas required exceeds allowance (50000)',
    })
  })

  it('is estimated as eth_estimateGas does', async () => {
    const stateOverrides = { [CONTRACT]: { code: LOGGING } } as const
    const estimated = await node.ask('estimateGas', { call: { to: CONTRACT }, block: LATEST, stateOverrides })
    expect((await ask(method.estimateGas, withCode(LOGGING))).gas).toBe(BigInt(estimated as string))
    const path = `estimate_gas?args=${encodeURIComponent(Buffer.from(args).toString('base64'))}`
    expect(await get(`${path}&gas_cap=100000`)).toEqual({ status: 200, gas: '21000', ret: null, vm_error: '' })
    expect(await get(path)).toMatchObject({ status: 400, message: 'gas cap cannot be lower than 21000' })
  })

  it('that cannot be read is an invalid argument', async () => {
    for (const wrong of [new Uint8Array(0), json([]), json({ to: '0x1' }), Buffer.from('{')]) {
      await expect(ask(method.ethCall, { args: wrong })).rejects.toMatchObject({ code: 3 })
      await expect(ask(method.ethCall, { args, overrides: Buffer.from('[') })).rejects.toMatchObject({ code: 3 })
    }
    const both = json({ gasPrice: '0x1', maxFeePerGas: '0x1' })
    await expect(ask(method.ethCall, { args: both })).rejects.toMatchObject({ code: 3 })
  })
})

describe('a trace', () => {
  const messages = () => raws.map((raw) => ({ raw }))
  const options = { tracer: { name: 'callTracer', onlyTopCall: false, withLog: false }, timeoutMs: 5_000 } as const

  it('of a transaction is that of its block', async () => {
    const [, second] = raws
    invariant(second !== undefined, 'the block has three')
    const hash = bytesToHex(keccak256(second))
    const expected = await node.ask('traceTransaction', { hash, options })
    const { data } = await ask(method.traceTx, { msg: { raw: second }, traceConfig: CALLS })
    expect(parsed(data)).toEqual(expected)
    const whole = { msg: { raw: second }, traceConfig: CALLS, blockNumber: 2n, predecessors: messages().slice(0, 1) }
    expect(parsed((await ask(method.traceTx, whole)).data)).toEqual(expected)
    await expect(ask(method.traceTx, { ...whole, blockNumber: 1n })).rejects.toMatchObject({ code: 3 })
    await expect(ask(method.traceTx, { ...whole, predecessors: messages() })).rejects.toMatchObject({ code: 12 })
    await expect(ask(method.traceTx, { msg: { raw: Uint8Array.of(1) } })).rejects.toMatchObject({ code: 12 })
    await expect(ask(method.traceTx, {})).rejects.toMatchObject({ code: 3 })
  })

  it('of a block is that of its transactions', async () => {
    const expected = await node.ask('traceBlock', { block: { number: 2 }, options })
    const { hash } = (await node.ask('block', { block: { number: 2 }, full: false })) as { hash: string }
    const questions = [{ blockNumber: 2n, txs: messages() }, { blockNumber: 2n }, { blockHash: hash.slice(2) }]
    for (const question of questions) {
      expect(parsed((await ask(method.traceBlock, { ...question, traceConfig: CALLS })).data)).toEqual(expected)
    }
    const other = { blockNumber: 2n, txs: messages().slice(1), traceConfig: CALLS }
    await expect(ask(method.traceBlock, other)).rejects.toMatchObject({ code: 12 })
    await expect(ask(method.traceBlock, {})).rejects.toMatchObject({ code: 3 })
    const config = { blockNumber: 2n, traceConfig: { limit: -1 } }
    await expect(ask(method.traceBlock, config)).rejects.toMatchObject({ code: 3 })
    const forks = { blockNumber: 2n, traceConfig: { overrides: { chainId: 1n } } }
    await expect(ask(method.traceBlock, forks)).rejects.toMatchObject({ code: 12 })
  })

  it('of a call is that of debug_traceCall', async () => {
    const [from, to] = [accountAt(4).address, accountAt(5).address]
    const block = { number: 2 }
    const expected = await node.ask('traceCall', { call: { from, to, gas: '0x7530' }, block, options })
    const request = { args: json({ from, to }), gasCap: 30_000n, blockNumber: 2n, traceConfig: CALLS }
    expect(parsed((await ask(method.traceCall, request)).data)).toEqual(expected)
    const withLog = { ...CALLS, tracerJsonConfig: '{"withLog":' }
    await expect(ask(method.traceCall, { ...request, traceConfig: withLog })).rejects.toMatchObject({ code: 3 })
    await expect(ask(method.traceCall, {})).rejects.toMatchObject({ code: 3 })
  })

  it('is refused where the node does not serve debug', async () => {
    const native = { restAddress: '127.0.0.1:0', grpcAddress: undefined, address: undefined, wsAddress: undefined }
    const closed = await startGateway({ ...GATEWAY_DEFAULTS, ...native, api: ['eth'] }, node.application, SILENT_LOG)
    try {
      const url = `http://${closed.restAddress}/cosmos/evm/vm/v1/trace_block?block_number=2`
      const response = await fetch(url)
      expect([response.status, await response.json()]).toMatchObject([501, { code: 12 }])
    } finally {
      await closed.close()
    }
  })
})
