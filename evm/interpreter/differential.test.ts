/**
 * Random transactions over random contracts, executed by the interpreter and by the reference: all that can be seen of
 * them must be equal. DIFFERENTIAL_PROGRAMS=20000 and SEED=2 run more and others.
 */
import { describe, expect, it } from 'vitest'
import { privateKeyToAddress, signDigest } from '../../core/signature.ts'
import { bytesToBigint, keyToBytes, padLeft } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { type Pick, seededRandom } from '../../store/testing/seeded-random.ts'
import { delegationCode } from '../delegation.ts'
import {
  type BlockEnvironment,
  type ExecuteOptions,
  type ExecutionOutcome,
  type FrameEntry,
  type FrameExit,
  HARDFORKS,
  type Message,
  type StateAccess,
} from '../engine.ts'
import { withoutWeight } from '../testing/without-weight.ts'
import { createEthereumjsEngine } from '../reference/create-engine.ts'
import { PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { ProgramWriter } from '../testing/random-program.ts'
import type { Authorization } from '../transaction/transaction.ts'
import { authorizationHash } from '../transaction/encode-transaction.ts'
import { createInterpreterEngine } from './create-engine.ts'

const PROGRAMS = Number(process.env['DIFFERENTIAL_PROGRAMS'] ?? 1_500)
const SEED = Number(process.env['SEED'] ?? 1)
/** Transactions over one world. */
const ROUNDS = 5

const interpreter = await createInterpreterEngine()
/** Looks after every instruction that is not a cheap one. */
const looking = await createInterpreterEngine(1)
const reference = await createEthereumjsEngine()

const filled = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const SENDER = filled(0xaa)
const COINBASE = filled(0xcc)
const CONTRACTS = [1, 2, 3, 4].map((index) => filled(0x10 + index))
const DELEGATING = filled(0xde)
const EMPTY = filled(0xee)
const KEY = keccak256(Uint8Array.of(1))
const AUTHORITY = privateKeyToAddress(KEY)

interface World {
  readonly block: BlockEnvironment
  readonly addresses: readonly Uint8Array[]
  readonly codes: readonly Uint8Array[]
  readonly slots: readonly (readonly [address: Uint8Array, slot: number, value: number])[]
  readonly withEmpty: boolean
}

const createWorld = (pick: Pick): World => {
  const hardfork = HARDFORKS[pick(6) % 3 === 0 ? pick(3) : 2] ?? 'osaka'
  const addresses = [SENDER, COINBASE, ...CONTRACTS, ...CONTRACTS, DELEGATING, EMPTY, AUTHORITY, filled(0x77)]
  addresses.push(...PRECOMPILE_ADDRESSES[hardfork])
  const writer = new ProgramWriter(pick, { addresses })
  return {
    block: {
      number: 1_000,
      timestamp: 1_700_000_000,
      coinbase: COINBASE,
      gasLimit: 1_000_000_000n,
      baseFeePerGas: 7n,
      blobBaseFee: 1n,
      prevRandao: keccak256(Uint8Array.of(pick(256))),
      chainId: 2517n,
      hardfork,
      blockHash: (number) => keccak256(Uint8Array.of(number & 0xff)),
    },
    addresses,
    codes: CONTRACTS.map(() => writer.program()),
    slots: CONTRACTS.flatMap((address) => [0, 1, 2].map((slot) => [address, slot, pick(3)] as const)),
    withEmpty: pick(2) === 0,
  }
}

const openWorld = (world: World): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  state.setAccount(SENDER, { ...EMPTY_ACCOUNT, balance: 10n ** 20n })
  CONTRACTS.forEach((address, index) => {
    const codeHash = state.setCode(world.codes[index] ?? new Uint8Array(0))
    state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, balance: BigInt(index * 7), codeHash })
  })
  for (const [address, slot, value] of world.slots) {
    if (value > 0) state.setStorage(address, padLeft(Uint8Array.of(slot), 32), Uint8Array.of(value))
  }
  const target = CONTRACTS[0] ?? SENDER
  const codeHash =
    world.block.hardfork === 'cancun' ? state.setCode(Uint8Array.of(0)) : state.setCode(delegationCode(target))
  state.setAccount(DELEGATING, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 3n, codeHash })
  if (world.withEmpty) state.setAccount(EMPTY, EMPTY_ACCOUNT)
  state.beginTransaction()
  return state
}

const authorize = (pick: Pick, nonce: bigint): Authorization => {
  const base = { chainId: pick(4) === 0 ? 0n : 2517n, address: CONTRACTS[pick(4)] ?? SENDER, nonce }
  const unsigned = { ...base, yParity: 0n, r: 1n, s: 1n }
  const { r, s, yParity } = signDigest(authorizationHash(unsigned), KEY)
  return { ...base, yParity: BigInt(yParity), r: bytesToBigint(r), s: bytesToBigint(s) }
}

const createMessage = (pick: Pick, world: World, nonce: bigint): Message => {
  const writer = new ProgramWriter(pick, world)
  const creates = pick(8) === 0
  const authorizations = !creates && world.block.hardfork !== 'cancun' && pick(6) === 0
  return {
    type: authorizations ? 4 : 2,
    sender: SENDER,
    to: creates ? undefined : writer.one(pick(8) === 0 ? world.addresses : [...CONTRACTS, ...CONTRACTS, DELEGATING]),
    nonce,
    gasLimit: BigInt(60_000 + pick(pick(3) === 0 ? 2_000_000 : 300_000)),
    value: pick(3) === 0 ? BigInt(pick(100)) : 0n,
    data: creates ? writer.program() : writer.bytes(pick(100)),
    maxFeePerGas: 20n,
    maxPriorityFeePerGas: BigInt(pick(5)),
    accessList:
      pick(5) === 0 ? [{ address: writer.one(world.addresses), storageKeys: [padLeft(Uint8Array.of(1), 32)] }] : [],
    authorizationList: authorizations ? [authorize(pick, BigInt(pick(3)))] : [],
    blobVersionedHashes: [],
    maxFeePerBlobGas: undefined,
  }
}

/** Every account and slot that either engine wrote, as the state then shows it. */
const seen = (state: Overlay, other: Overlay): Record<string, unknown> => {
  const shown: Record<string, unknown> = {}
  for (const key of [...state.changes().accounts.keys(), ...other.changes().accounts.keys()]) {
    const address = keyToBytes(key)
    const account = state.account(address)
    shown[bytesToHex(address)] = account
    if (account !== undefined) shown[`code ${bytesToHex(address)}`] = bytesToHex(state.code(account.codeHash))
  }
  for (const [key, { slots }] of [...state.changes().storage, ...other.changes().storage]) {
    const address = keyToBytes(key)
    for (const slot of slots.keys()) {
      shown[`${bytesToHex(address)} ${bytesToHex(keyToBytes(slot))}`] = bytesToHex(
        state.storage(address, keyToBytes(slot)),
      )
    }
  }
  return shown
}

interface Seen {
  readonly outcome: ExecutionOutcome
  readonly events: readonly unknown[]
}

/**
 * The reference takes operands before it finds one missing, and does not always tell which charge failed, or that
 * one did before a bound was broken. The traces
 * recorded from geth hold the interpreter to the exact words.
 */
const coarse = (outcome: ExecutionOutcome): ExecutionOutcome => {
  const failure = outcome.valid ? outcome.result.failure : undefined
  if (!outcome.valid || failure === undefined) return outcome
  const message = failure.message
    .replace(/stack underflow .*/, 'stack underflow')
    .replace(/out of gas: .*|gas uint64 overflow|return data out of bounds/, 'out of gas')
  return { ...outcome, result: { ...outcome.result, failure: { ...failure, message } } }
}

const run = async (
  engine: typeof interpreter,
  state: Overlay,
  world: World,
  message: Message,
  options: ExecuteOptions,
  traced: boolean,
): Promise<Seen> => {
  const events: unknown[] = []
  const onEnter = ({ kind, depth, from, to, gas, value, input }: FrameEntry): void =>
    void events.push(`${depth} ${kind} ${bytesToHex(from)} ${bytesToHex(to)} ${gas} ${value} ${bytesToHex(input)}`)
  // The reference says less of why an inner frame failed.
  const onExit = ({ depth, gasUsed, returnData, failure }: FrameExit): void =>
    void events.push(`${depth} ${failure?.kind ?? 'ok'} ${gasUsed} ${bytesToHex(returnData)}`)
  const onAccess = (access: StateAccess): void =>
    void events.push(`${bytesToHex(access.address)} ${access.kind === 'slot' ? access.slot : 'account'}`)
  const hooks = traced ? { onEnter, onExit, onAccess } : {}
  const outcome = await engine.execute(state, world.block, message, { ...options, ...hooks })
  return { outcome: withoutWeight(coarse(outcome)), events }
}

/** The reference copies the memory for a tracer before it finds it too large: such a transaction it runs untraced. */
const runReference = async (...[, state, world, message, options, traced]: Parameters<typeof run>): Promise<Seen> => {
  try {
    return await run(reference, state, world, message, options, traced)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { ...(await run(reference, state, world, message, options, false)), events: ['untraced'] }
  }
}

/** Gives way wherever it can, and has another transaction executed meanwhile. */
const runPaced = async (
  state: Overlay,
  world: World,
  message: Message,
  options: ExecuteOptions,
): Promise<{ outcome: ExecutionOutcome; pauses: number }> => {
  let pauses = 0
  const yieldToOther = async (): Promise<void> => {
    if (pauses++ > 3) return
    const other = openWorld(world)
    await looking.execute(other, world.block, { ...message, nonce: 0n }, options)
  }
  const pace = { isYieldDue: true, yield: yieldToOther }
  const outcome = await looking.execute(state, world.block, message, { ...options, pace })
  return { outcome, pauses }
}

describe('the interpreter and the reference', () => {
  it(
    `agree on ${PROGRAMS} random transactions, seed ${SEED}`,
    async () => {
      const failures = new Map<string, number>()
      let pauses = 0
      for (let done = 0; done < PROGRAMS; done += ROUNDS) {
        const seed = SEED * 1_000_003 + done
        const pick = seededRandom(seed)
        const world = createWorld(pick)
        const [mine, theirs, paced] = [openWorld(world), openWorld(world), openWorld(world)]
        for (let round = 0; round < ROUNDS; round++) {
          const message = createMessage(pick, world, mine.account(SENDER)?.nonce ?? 0n)
          const options: ExecuteOptions = { fees: pick(2) === 0 ? 'burn' : 'collect', checks: 'transaction' }
          const traced = pick(4) === 0
          mine.beginTransaction()
          theirs.beginTransaction()
          paced.beginTransaction()
          const got = await run(interpreter, mine, world, message, options, traced)
          const expected = await runReference(reference, theirs, world, message, options, traced)
          expect(got.outcome, `seed ${seed} round ${round}`).toEqual(expected.outcome)
          if (expected.events[0] !== 'untraced')
            expect(got.events, `seed ${seed} round ${round}`).toEqual(expected.events)
          expect(seen(mine, theirs), `seed ${seed} round ${round}`).toEqual(seen(theirs, mine))
          const pausing = await runPaced(paced, world, message, options)
          pauses += pausing.pauses
          expect(withoutWeight(coarse(pausing.outcome)), `seed ${seed} round ${round}`).toEqual(got.outcome)
          expect(seen(paced, mine), `seed ${seed} round ${round}`).toEqual(seen(mine, paced))
          const { outcome } = got
          const end = outcome.valid ? (outcome.result.failure?.message ?? 'success') : outcome.error.message
          failures.set(end, (failures.get(end) ?? 0) + 1)
        }
      }
      // The programs must not all end alike.
      expect(failures.get('success') ?? 0).toBeGreaterThan(PROGRAMS / 5)
      expect(failures.size).toBeGreaterThan(8)
      expect(pauses).toBeGreaterThan(10 * PROGRAMS)
      if (process.env['DIFFERENTIAL_PROGRAMS'] !== undefined) console.log([...failures])
    },
    PROGRAMS * 100,
  )
})
