import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { authQuery, authTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seeded } from '../../test/sim/random.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { MessageHandler } from '../module.ts'
import { AUTH_ADDRESS, readAuthParameters } from './keeper.ts'
import { authModule } from './module.ts'
import { type AuthParameters, DEFAULT_AUTH_PARAMETERS } from './params.ts'

const module = authModule.create({
  moduleAccounts: [],
  accountNumber: () => 0n,
  addresses: () => [],
  checkKey: () => undefined,
})

const context = (state: Overlay) => ({ state, height: 1, timeNs: 0n, chainId: 'x', emit: () => undefined })
const makeState = (genesis: unknown = {}): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  module.initGenesis(context(state), genesis)
  return state
}
const all = (of: Overlay) => of.values(AUTH_ADDRESS, new Uint8Array(0), 10)

const update = (
  params: AuthParameters | undefined,
  state = makeState(),
  authority = encodeBech32(GOVERNANCE_ADDRESS),
): void => {
  const [handler] = module.messages as readonly [MessageHandler]
  const message = create(authTx.MsgUpdateParamsSchema, { authority, ...(params && { params }) })
  const decoded = handler.decode(toBinary(authTx.MsgUpdateParamsSchema, message))
  const prepared = handler.prepare(decoded)
  handler.execute({ ...context(state), consumeGas: () => undefined }, prepared)
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

const changed = (change: Partial<AuthParameters>): AuthParameters => ({ ...DEFAULT_AUTH_PARAMETERS, ...change })

/** Names and texts of cosmos-sdk x/auth/keeper/msg_server_test.go (TestUpdateParams) and types/params_test.go. */
describe('TestUpdateParams of x/auth', () => {
  it.each<readonly [string, Partial<AuthParameters>, string]>([
    ['default params', {}, 'accepted'],
    ['set invalid max memo characters', { maxMemoCharacters: 0n }, 'sdk/18 invalid max memo characters: 0'],
    ['set invalid tx sig limit', { txSigLimit: 0n }, 'sdk/18 invalid tx signature limit: 0'],
    ['set invalid tx size cost per bytes', { txSizeCostPerByte: 0n }, 'sdk/18 invalid tx size cost per byte: 0'],
    [
      'set invalid sig verify cost ED25519',
      { sigVerifyCostEd25519: 0n },
      'sdk/18 invalid ED25519 signature verification cost: 0',
    ],
    [
      'set invalid sig verify cost Secp256k1',
      { sigVerifyCostSecp256k1: 0n },
      'sdk/18 invalid SECP256k1 signature verification cost: 0',
    ],
    // What the software reads at most.
    ['a longer memo', { maxMemoCharacters: 257n }, 'sdk/18 max_memo_characters must not be above 256'],
    ['more signatures', { txSigLimit: 8n }, 'sdk/18 tx_sig_limit must not be above 7'],
    // What a vote could still pay that makes it cheaper again.
    ['the dearest bytes', { txSizeCostPerByte: 1_000n }, 'accepted'],
    ['dearer bytes', { txSizeCostPerByte: 2n ** 64n - 1n }, 'sdk/18 tx_size_cost_per_byte must not be above 1000 gas'],
    [
      'dearer signatures',
      { sigVerifyCostSecp256k1: 100_001n },
      'sdk/18 sig_verify_cost_secp256k1 must not be above 100000 gas',
    ],
    [
      'dearer signatures of another kind',
      { sigVerifyCostEd25519: 2n ** 64n - 1n },
      'sdk/18 sig_verify_cost_ed25519 must not be above 100000 gas',
    ],
  ])('%s', (_, change, outcome) => {
    const state = makeState()
    expect(refusal(() => update(changed(change), state))).toContain(outcome)
    expect(readAuthParameters(state)).toEqual(outcome === 'accepted' ? changed(change) : DEFAULT_AUTH_PARAMETERS)
  })

  it('set invalid authority', () => {
    expect(refusal(() => update(changed({}), makeState(), 'foo'))).toContain('sdk/7 invalid authority')
    const stranger = encodeBech32(new Uint8Array(20).fill(1))
    expect(refusal(() => update(changed({}), makeState(), stranger))).toContain('sdk/4 invalid authority')
    expect(refusal(() => update(undefined))).toBe('sdk/18 all parameters must be present: invalid request')
  })
})

describe('the parameters of auth', () => {
  it('take no place in the state where they are the defaults', () => {
    const state = makeState()
    expect(all(state)).toEqual([])
    update(changed({ txSigLimit: 3n }), state)
    expect(all(state).length).toBe(1)
    update(changed({}), state)
    expect(all(state)).toEqual([])
  })

  it(
    'come back from an export and from the query, whatever they are',
    seeded(700, (random) => {
      for (let round = 0; round < 200; round++) {
        const cost = (most: number): bigint => BigInt(1 + random.below(most))
        const parameters: AuthParameters = {
          maxMemoCharacters: BigInt(1 + random.below(256)),
          txSigLimit: BigInt(1 + random.below(7)),
          txSizeCostPerByte: cost(1_000),
          sigVerifyCostEd25519: cost(100_000),
          sigVerifyCostSecp256k1: cost(100_000),
        }
        const state = makeState()
        update(parameters, state)
        const exported = module.exportGenesis(context(state)) as { params: unknown }
        expect(all(makeState(JSON.parse(JSON.stringify({ params: exported.params }))))).toEqual(all(state))
        const query = module.queries.find(({ path }) => path.endsWith('/Params'))
        const answer = query?.query(context(state), new Uint8Array(0)) ?? new Uint8Array(0)
        expect(fromBinary(authQuery.QueryParamsResponseSchema, answer).params).toMatchObject(parameters)
        for (const { check } of module.invariants) expect(check(context(state))).toBeUndefined()
      }
    }),
  )

  it.each([
    [{ tx_sig_limit: '8' }, 'app_state.auth.params: tx_sig_limit must not be above 7'],
    [{ tx_sig_limit: 3 }, 'app_state.auth.params.tx_sig_limit: must be a non-negative integer in a decimal string'],
    [{ max_memo_characters: '0' }, 'app_state.auth.params: invalid max memo characters: 0'],
    [{ tx_size_cost_per_byte: (2n ** 64n).toString() }, 'app_state.auth.params.tx_size_cost_per_byte: must be below'],
    [{ memo: '1' }, 'app_state.auth.params.memo: unknown field'],
  ])('of a genesis file are checked: %j', (params, message) => {
    expect(refusal(() => makeState({ params }))).toContain(message)
  })
})
