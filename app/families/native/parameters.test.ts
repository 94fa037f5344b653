import { beforeAll, describe, expect, it } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { type AuthParameters, DEFAULT_AUTH_PARAMETERS, writeAuthParameters } from '../../../modules/auth/index.ts'
import { bankModule } from '../../../modules/bank/index.ts'
import { EMPTY_ACCOUNT } from '../../../store/state.ts'
import { weightModule } from '../../../modules/weight/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { type NativeFields, sendMessage, signNative } from '../../../test/sim/native-transactions.ts'
import { leastTransactionGas } from '../../native/gas.ts'
import { admitNative } from './admit.ts'
import { Pool } from '../../pool/pool.ts'
import { APPLICATION_DEFAULTS } from '../../settings.ts'
import { executeNative } from './execute.ts'
import { createPrepare } from './prepare.ts'
import { dryRun } from './dry-run.ts'

const CHAIN_ID = 'nat-test-1'
const accounts = [1, 2, 3].map((digit) => privateKeyToAccount(`0x${String(digit).repeat(64)}`))
const prepare = createPrepare([bankModule.create({ accounts: () => [], isBlockedReceiver: () => false })])

const stateWith = (change: Partial<AuthParameters>): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  for (const { address } of accounts) state.setAccount(hexToBytes(address), { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  writeAuthParameters(state, { ...DEFAULT_AUTH_PARAMETERS, ...change })
  weightModule
    .create({})
    .initGenesis({ state, height: 0, timeNs: 0n, chainId: CHAIN_ID, emit: () => undefined }, undefined)
  return state
}

/** One message of each of the first `signers` accounts, each of which signs. */
const signed = (signers: number, fields: Partial<NativeFields> = {}): Promise<Uint8Array> => {
  const own = accounts.slice(0, signers)
  return signNative({
    chainId: CHAIN_ID,
    messages: own.map((account) => sendMessage(account, new Uint8Array(20).fill(7), [{ denom: 'anat', amount: '1' }])),
    signers: own.map((account) => ({ account, sequence: 0 })),
    gas: 400_000n,
    ...fields,
  })
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

const blockOf = (state: Overlay) => ({
  state,
  height: 1,
  timeNs: 0n,
  chainId: CHAIN_ID,
  evmChainId: 1n,
  baseFeePerGas: 1n,
  gasLeft: 10n ** 9n,
})

/** Each door where a transaction meets the parameters. */
const DOORS = {
  'a block': (raw: Uint8Array, state: Overlay) => void executeNative(prepare(raw), blockOf(state)),
  'the pool': (raw: Uint8Array, state: Overlay, maxTransactionGas = 0n) =>
    void admitNative(prepare(raw), {
      pool: new Pool(APPLICATION_DEFAULTS.pool, { executable: () => undefined, left: () => undefined }),
      state,
      settings: { ...APPLICATION_DEFAULTS, maxTransactionGas },
      limits: { chainId: 1n, blockGasLimit: 10n ** 9n, hardfork: 'osaka' },
      baseFeePerGas: 1n,
      nowMs: 0,
      arrival: 0,
      nativeChainId: CHAIN_ID,
      height: 1,
    }),
  'a dry run': (raw: Uint8Array, state: Overlay) => void dryRun(raw, prepare, blockOf(state)),
}

describe.each(Object.entries(DOORS))('the parameters of auth in %s', (door, enter) => {
  let [short, long, three] = [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES]
  beforeAll(async () => {
    short = await signed(1, { memo: 'é'.repeat(5) })
    long = await signed(1, { memo: 'é'.repeat(128) })
    three = await signed(3)
  })

  it('bound the memo by its bytes', () => {
    const enters = (raw: Uint8Array, maxMemoCharacters: bigint) =>
      refusal(() => enter(raw, stateWith({ maxMemoCharacters })))
    expect(enters(short, 10n)).toBe('accepted')
    expect(enters(short, 9n)).toBe(
      'sdk/12 maximum number of characters is 9 but received 10 characters: memo too large',
    )
    expect(enters(long, 256n)).toBe('accepted')
    expect(enters(long, 255n)).toContain('sdk/12 maximum number of characters is 255 but received 256')
  })

  it('bound the signatures', () => {
    expect(refusal(() => enter(three, stateWith({ txSigLimit: 3n })))).toBe('accepted')
    expect(refusal(() => enter(three, stateWith({ txSigLimit: 2n })))).toBe(
      'sdk/14 signatures: 3, limit: 2: maximum number of signatures exceeded',
    )
  })

  it('price the bytes', () => {
    // 400,000 gas less a signature of 21,000, and in a block the message of 50,000.
    const rest = (400_000n - 21_000n - (door === 'the pool' ? 0n : 50_000n)) / BigInt(short.length)
    const enters = (txSizeCostPerByte: bigint) => {
      const state = stateWith({ txSizeCostPerByte })
      if (door !== 'a dry run') return refusal(() => enter(short, state))
      // Bounded by the block there.
      return dryRun(short, prepare, blockOf(state)).gasUsed <= 400_000n ? 'accepted' : 'sdk/11 of its own bound'
    }
    expect(enters(rest)).toBe('accepted')
    if (door === 'a block') {
      const { result } = executeNative(prepare(short), blockOf(stateWith({ txSizeCostPerByte: rest + 1n })))
      expect([result.codespace, result.code]).toEqual(['sdk', 11])
    } else {
      expect(enters(rest + 1n)).toContain('sdk/11')
    }
  })
})

it('a transaction costs no less than what a proposal of its size is judged by', async () => {
  const raw = await signed(1)
  for (const change of [{}, { txSizeCostPerByte: 1n }, { sigVerifyCostSecp256k1: 50_000n }]) {
    const parameters = { ...DEFAULT_AUTH_PARAMETERS, ...change }
    const { gasUsed } = executeNative(prepare(raw), blockOf(stateWith(change))).result
    expect(leastTransactionGas(raw.length, parameters)).toBeLessThanOrEqual(gasUsed)
  }
})

it('a gas limit above the cap of this node does not enter its pool', async () => {
  const raw = await signed(1)
  const enters = (cap: bigint) => refusal(() => DOORS['the pool'](raw, stateWith({}), cap))
  expect(enters(400_000n)).toBe('accepted')
  expect(enters(399_999n)).toContain('sdk/41 tx gas limit 400000 exceeds the cap of this node 399999')
})
