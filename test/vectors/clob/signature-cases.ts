/** What the vectors of signatures are about. Phases, weights and codes are written by hand. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from 'viem'
import { type ActionInit, addressOf, type Chain, type Domain, type Init, type Scheme, sign, wireOf } from './sign.ts'

export const CHAIN: Chain = { chainId: 'nat-2517-1', evmChainId: 2517 }
/** Its EVM chain id is the same. */
const OTHER_NAME: Chain = { chainId: 'localnat-1', evmChainId: 2517 }
const OTHER_EVM: Chain = { chainId: 'nat-2517-1', evmChainId: 2518 }

export const OWNER_KEY = new Uint8Array(32).fill(0x11)
export const AGENT_KEY = new Uint8Array(32).fill(0x22)
const STRANGER_KEY = new Uint8Array(32).fill(0x33)

const U32 = 0xffff_ffff
const U53 = 2n ** 53n - 1n

/** Code 0: valid, with its signature. Code 15: statically valid, and the signature is another's. Else no body at all. */
export interface Case {
  readonly name: string
  readonly chain: Chain
  readonly scheme: Scheme
  readonly init: Init
  readonly raw: Uint8Array
  readonly key: Uint8Array | undefined
  readonly code: number
  readonly phase?: number
  readonly weight?: number
}

const id = (text: string): Uint8Array => new TextEncoder().encode(text)

type PlaceInit = Exclude<Extract<NonNullable<ActionInit['action']>, { case: 'place' }>['value'], undefined>

export const place = (more: PlaceInit = {}): ActionInit => ({
  action: {
    case: 'place',
    value: { market: 1, side: 1, priceTicks: 25_000n, qtyLots: 40n, tif: 1, ...more },
  },
})

const cancelOf = (market: number, target: string | bigint) => ({
  market,
  target:
    typeof target === 'string'
      ? ({ case: 'clientId', value: id(target) } as const)
      : ({ case: 'orderSeq', value: target } as const),
})

export const cancel = (market: number, target: string | bigint): ActionInit => ({
  action: { case: 'cancel', value: cancelOf(market, target) },
})
const cancelAll = (market = 0, side: 0 | 1 | 2 = 0): ActionInit => ({
  action: { case: 'cancelAll', value: { market, side } },
})
const schedule = (atMs: bigint): ActionInit => ({ action: { case: 'scheduleCancel', value: { atMs } } })
export const replace = (target: string | bigint, more: PlaceInit = {}, keep = false, targetMarket = 1): ActionInit => {
  const { action } = place(more)
  if (action?.case !== 'place') throw new TypeError('a Place')
  return {
    action: {
      case: 'replace',
      value: { target: cancelOf(targetMarket, target), place: action.value, keepPriorityIfSizeDown: keep },
    },
  }
}

/** A transaction of the owner, not signed yet. */
export const txOf = (scheme: Scheme, actions: ActionInit[], more: Init = {}): Init => ({
  version: 1,
  owner: addressOf(OWNER_KEY, scheme),
  nonceMs: 1_763_900_000_000n,
  goodTilBlock: 120,
  actions,
  sigScheme: scheme,
  ...more,
})

interface Signing {
  readonly key?: Uint8Array
  readonly chain?: Chain
  /** The chain for which the signature is, where that is another one. */
  readonly signedFor?: Chain
  readonly domain?: Partial<Domain>
  /** What is signed, where that is something else. */
  readonly signs?: Init
  readonly signsScheme?: Scheme
  readonly change?: (signature: Uint8Array) => Uint8Array
}

const signedCase = async (
  name: string,
  scheme: Scheme,
  init: Init,
  expected: Pick<Case, 'code' | 'phase' | 'weight'>,
  {
    key = OWNER_KEY,
    chain = CHAIN,
    signedFor = chain,
    domain,
    signs = init,
    signsScheme = scheme,
    change,
  }: Signing = {},
): Promise<Case> => {
  const made = await sign(signs, signsScheme, signedFor, key, domain)
  const whole = { ...init, signature: change === undefined ? made : change(made) }
  return { name, chain, scheme, init: whole, raw: wireOf(whole), key, ...expected }
}

interface Valid {
  readonly name: string
  readonly actions: ActionInit[]
  readonly phase: 0 | 1 | 2
  readonly weight: number
}

/** Signed by each scheme. */
const KINDS: readonly Valid[] = [
  { name: 'place', actions: [place()], phase: 2, weight: 20 },
  { name: 'cancel by client id', actions: [cancel(1, 'bid-1')], phase: 0, weight: 1 },
  { name: 'cancel by order_seq', actions: [cancel(3, 77n)], phase: 0, weight: 1 },
  { name: 'cancel all', actions: [cancelAll()], phase: 0, weight: 20 },
  { name: 'cancel all sells of a market', actions: [cancelAll(2, 2)], phase: 0, weight: 20 },
  { name: 'replace by client id', actions: [replace('bid-1', { clientId: id('bid-2') })], phase: 2, weight: 20 },
  { name: 'replace with priority', actions: [replace(77n, { tif: 4 }, true)], phase: 1, weight: 1 },
  { name: 'schedule cancel', actions: [schedule(1_763_900_060_000n)], phase: 0, weight: 20 },
  { name: 'schedule cleared', actions: [schedule(0n)], phase: 0, weight: 20 },
]

const largestPlace = place({
  market: U32,
  side: 2,
  priceTicks: BigInt(U32),
  qtyLots: U53,
  tif: 1,
  stp: 3,
  clientId: new Uint8Array(16).fill(0xff),
  expireS: U53,
  triggerTicks: BigInt(U32),
  triggerKind: 2,
  maxFills: 200,
  postOnlyMode: 1,
})

/** Signed by scheme 1. */
const SHAPES: readonly (Valid & { readonly more?: Init })[] = [
  {
    name: 'largest values',
    actions: [largestPlace],
    phase: 1,
    weight: 1,
    more: { subaccount: U32, nonceMs: U53, goodTilBlock: U32 },
  },
  {
    name: 'smallest values',
    actions: [place({ priceTicks: 1n, qtyLots: 1n })],
    phase: 2,
    weight: 20,
    more: { nonceMs: 0n, goodTilBlock: 0 },
  },
  { name: 'market order', actions: [place({ side: 2, tif: 2, stp: 1, maxFills: 7 })], phase: 2, weight: 7 },
  { name: 'fill or kill', actions: [place({ tif: 3, stp: 2, maxFills: 200 })], phase: 2, weight: 200 },
  { name: 'post-only that slides', actions: [place({ tif: 4, postOnlyMode: 1 })], phase: 1, weight: 1 },
  { name: 'good til time', actions: [place({ expireS: 1_763_990_000n })], phase: 2, weight: 20 },
  { name: 'stop', actions: [place({ tif: 2, triggerTicks: 26_000n, triggerKind: 1 })], phase: 1, weight: 1 },
  { name: 'take profit', actions: [place({ triggerTicks: 1n, triggerKind: 2, maxFills: 200 })], phase: 1, weight: 1 },
  {
    name: 'every kind of action',
    actions: [cancel(1, 'a'), cancelAll(1, 1), replace('b', { tif: 4 }), schedule(9n), place({ maxFills: 1 })],
    phase: 2,
    weight: 43,
  },
  {
    name: 'fifty cancels',
    actions: Array.from({ length: 50 }, (_, at) => cancel(at + 1, BigInt(at + 1))),
    phase: 0,
    weight: 50,
  },
  {
    name: 'greatest weight',
    actions: Array.from({ length: 5 }, () => place({ maxFills: 200 })),
    phase: 2,
    weight: 1_000,
  },
]

const largestReplace: ActionInit = (() => {
  const { action } = largestPlace
  if (action?.case !== 'place') throw new TypeError('a Place')
  return {
    action: {
      case: 'replace',
      value: { target: cancelOf(U32, 'sixteen bytes id'), place: action.value, keepPriorityIfSizeDown: true },
    },
  }
})()

const LENGTHS = Array.from({ length: 16 }, (_, at) => at + 1)

/** Makes as many of the largest actions as there is room for, and cancels that fill the rest: `bytes` in all. */
const ofBytes = (bytes: number): Init => {
  const named = (length: number): ActionInit => cancel(1, 'x'.repeat(length))
  for (let count = 40; count > 30; count--) {
    for (const more of [0, 1, 2, 3, 4]) {
      for (const first of LENGTHS) {
        for (const second of LENGTHS) {
          const largest = Array.from({ length: count }, () => largestReplace)
          const rest = Array.from({ length: more }, () => named(16))
          const actions = [...largest, ...rest, named(first), named(second)]
          const init = txOf(1, actions, { signature: new Uint8Array(65).fill(1) })
          if (wireOf(init).length === bytes) return init
        }
      }
    }
  }
  throw new RangeError(`no transaction of ${bytes} bytes`)
}

const validCases = async (): Promise<readonly Case[]> => {
  const cases: Promise<Case>[] = []
  for (const { name, actions, phase, weight } of KINDS) {
    for (const scheme of [1, 2, 3] as const) {
      cases.push(signedCase(`${name}, scheme ${scheme}`, scheme, txOf(scheme, actions), { code: 0, phase, weight }))
    }
  }
  for (const { name, actions, phase, weight, more } of SHAPES) {
    cases.push(signedCase(name, 1, txOf(1, actions, more), { code: 0, phase, weight }))
  }
  const longest = ofBytes(4_096)
  const { length } = longest.actions ?? []
  cases.push(signedCase('4,096 bytes', 1, longest, { code: 0, phase: 1, weight: length }))
  for (const scheme of [1, 2, 3] as const) {
    const init = txOf(scheme, [place()], { agent: addressOf(AGENT_KEY, scheme), subaccount: 5 })
    cases.push(
      signedCase(`agent, scheme ${scheme}`, scheme, init, { code: 0, phase: 2, weight: 20 }, { key: AGENT_KEY }),
    )
    const other = txOf(scheme, [place()])
    cases.push(
      signedCase(
        `chain of another name, scheme ${scheme}`,
        scheme,
        other,
        { code: 0, phase: 2, weight: 20 },
        { chain: OTHER_NAME },
      ),
    )
  }
  return Promise.all(cases)
}

/** Statically valid; who signed is not who should have. */
const foreignCases = async (): Promise<readonly Case[]> => {
  const expected = { code: 15, phase: 2, weight: 20 }
  const agent = addressOf(AGENT_KEY, 1)
  const init = txOf(1, [place()])
  const foreign = (name: string, scheme: Scheme, more: Signing, what: Init = txOf(scheme, [place()])): Promise<Case> =>
    signedCase(name, scheme, what, expected, more)
  return Promise.all([
    ...([1, 2, 3] as const).flatMap((scheme) => [
      foreign(`another chain's, scheme ${scheme}`, scheme, { signedFor: OTHER_NAME }),
      foreign(`a stranger's, scheme ${scheme}`, scheme, { key: STRANGER_KEY }),
      foreign(`of another nonce, scheme ${scheme}`, scheme, { signs: txOf(scheme, [place()], { nonceMs: 1n }) }),
      foreign(`the other v, scheme ${scheme}`, scheme, {
        change: (made) => Uint8Array.from([...made.subarray(0, 64), 1 - (made[64] ?? 0)]),
      }),
    ]),
    foreign('another EVM chain', 1, { signedFor: OTHER_EVM }),
    foreign('a domain of another name', 1, { domain: { name: 'nat' } }),
    foreign('a domain of another version', 1, { domain: { version: '2' } }),
    foreign('scheme 2 signed as scheme 3', 2, { signsScheme: 3 }),
    foreign('scheme 3 signed as scheme 2', 3, { signsScheme: 2 }),
    foreign('another price', 1, { signs: txOf(1, [place({ priceTicks: 25_001n })]) }),
    foreign("the owner's where there is an agent", 1, {}, { ...init, agent }),
    foreign("the agent's where there is none", 1, { key: AGENT_KEY, signs: { ...init, agent } }),
  ])
}

const N = secp256k1.Point.Fn.ORDER
const bigintOf = (bytes: Uint8Array): bigint => BigInt(bytesToHex(bytes))
const word = (value: bigint): Uint8Array => hexToBytes(`0x${value.toString(16).padStart(64, '0')}`)

/** Signatures of another form. */
const formCases = async (): Promise<readonly Case[]> => {
  const forms: readonly (readonly [name: string, change: (made: Uint8Array) => Uint8Array])[] = [
    [
      'high s',
      (made) =>
        Uint8Array.from([...made.subarray(0, 32), ...word(N - bigintOf(made.subarray(32, 64))), 1 - (made[64] ?? 0)]),
    ],
    ['s one above half the order', (made) => Uint8Array.from([...made.subarray(0, 32), ...word(N / 2n + 1n), 0])],
    ['v of 27', (made) => Uint8Array.from([...made.subarray(0, 64), 27])],
    ['v of 2', (made) => Uint8Array.from([...made.subarray(0, 64), 2])],
    ['r of 0', (made) => Uint8Array.from([...new Uint8Array(32), ...made.subarray(32)])],
    ['r of the order', (made) => Uint8Array.from([...word(N), ...made.subarray(32)])],
    ['s of 0', (made) => Uint8Array.from([...made.subarray(0, 32), ...new Uint8Array(32), 0])],
    ['without v', (made) => made.slice(0, 64)],
    ['66 bytes', (made) => Uint8Array.from([...made, 0])],
    ['no signature', () => new Uint8Array(0)],
  ]
  return Promise.all(forms.map(([name, change]) => signedCase(name, 1, txOf(1, [place()]), { code: 13 }, { change })))
}

/** Values out of range. The signature is that of another transaction: a wallet refuses to sign some of these. */
const valueCases = async (): Promise<readonly Case[]> => {
  const values: readonly (readonly [name: string, code: number, actions: ActionInit[], more?: Init])[] = [
    ['version 2', 3, [place()], { version: 2 }],
    ['version left out', 3, [place()], { version: 0 }],
    ['owner of 19 bytes', 4, [place()], { owner: new Uint8Array(19).fill(1) }],
    ['no owner', 4, [place()], { owner: new Uint8Array(0) }],
    ['agent of 21 bytes', 4, [place()], { agent: new Uint8Array(21).fill(1) }],
    ['agent of zeros', 4, [place()], { agent: new Uint8Array(20) }],
    ['nonce of 2^53', 5, [place()], { nonceMs: U53 + 1n }],
    ['scheme 4', 5, [place()], { sigScheme: 4 }],
    ['scheme left out', 5, [place()], { sigScheme: 0 }],
    ['market 0', 5, [place({ market: 0 })]],
    ['no side', 5, [place({ side: 0 })]],
    ['side 3', 5, [place({ side: 3 as 2 })]],
    ['price 0', 5, [place({ priceTicks: 0n })]],
    ['price of 2^32', 5, [place({ priceTicks: BigInt(U32) + 1n })]],
    ['quantity 0', 5, [place({ qtyLots: 0n })]],
    ['quantity of 2^53', 5, [place({ qtyLots: U53 + 1n })]],
    ['quantity of 2^64 - 1', 5, [place({ qtyLots: 2n ** 64n - 1n })]],
    ['no tif', 5, [place({ tif: 0 })]],
    ['tif 5', 5, [place({ tif: 5 as 4 })]],
    ['stp 4', 5, [place({ stp: 4 as 3 })]],
    ['max_fills 201', 5, [place({ maxFills: 201 })]],
    ['post_only_mode 2', 5, [place({ postOnlyMode: 2 })]],
    ['trigger_kind 3', 5, [place({ triggerKind: 3, triggerTicks: 1n })]],
    ['trigger of 2^32 ticks', 5, [place({ triggerKind: 1, triggerTicks: BigInt(U32) + 1n })]],
    ['cancel in market 0', 5, [cancel(0, 'a')]],
    ['cancel all of side 3', 5, [cancelAll(1, 3 as 2)]],
    ['schedule at 2^53', 5, [schedule(U53 + 1n)]],
    ['no actions', 6, []],
    ['51 actions', 6, Array.from({ length: 51 }, () => cancel(1, 1n))],
    ['empty action', 6, [{}]],
    ['cancel without a target', 7, [{ action: { case: 'cancel', value: { market: 1 } } }]],
    ['cancel of an empty client id', 7, [cancel(1, '')]],
    ['cancel of a client id of 17 bytes', 7, [cancel(1, '12345678901234567')]],
    ['cancel of order_seq 0', 7, [cancel(1, 0n)]],
    ['replace across markets', 8, [replace('a', {}, false, 2)]],
    ['replace without a place', 8, [{ action: { case: 'replace', value: { target: cancelOf(1, 'a') } } }]],
    ['trigger_ticks without a kind', 9, [place({ triggerTicks: 5n })]],
    ['trigger_kind without ticks', 9, [place({ triggerKind: 1 })]],
    ['expire_s with IOC', 10, [place({ tif: 2, expireS: 5n })]],
    ['expire_s with FOK', 10, [place({ tif: 3, expireS: 5n })]],
    ['builder', 11, [place({ builder: Uint8Array.of(1) })]],
    ['builder fee', 11, [place({ builderFeePpm: 1 })]],
    ['group', 11, [place({ group: Uint8Array.of(1) })]],
    ['client id of 17 bytes', 12, [place({ clientId: new Uint8Array(17).fill(1) })]],
    ['weight 1,001', 14, [...Array.from({ length: 5 }, () => place({ maxFills: 200 })), cancel(1, 1n)]],
  ]
  const long = ofBytes(4_097)
  const signs = txOf(1, [place()])
  return Promise.all([
    ...values.map(([name, code, actions, more]) => signedCase(name, 1, txOf(1, actions, more), { code }, { signs })),
    signedCase('4,097 bytes', 1, long, { code: 1 }),
  ])
}

const splice = (raw: Uint8Array, at: number, drop: number, ...more: readonly number[]): Uint8Array =>
  Uint8Array.from([...raw.subarray(0, at), ...more, ...raw.subarray(at + drop)])

/** Other encodings of one valid transaction. The offsets are those of its fields: 0x70, version (2 bytes), owner (22), ... */
const encodingCases = async (): Promise<readonly Case[]> => {
  const valid = await signedCase('', 1, txOf(1, [cancelAll()], { subaccount: 5 }), { code: 0 })
  const { raw } = valid
  // 0x70 | 08 01 | 12 14 owner | 18 05 | 20 nonce (6) | 28 78 | 32 02 1a 00 | 38 01 | 42 41 signature
  const at = { version: 1, owner: 3, subaccount: 25, nonce: 27, actions: 36, scheme: 40 }
  const changes: readonly (readonly [name: string, code: number, raw: Uint8Array])[] = [
    ['another first byte', 1, splice(raw, 0, 1, 0x71)],
    ['the first byte alone', 1, raw.slice(0, 1)],
    ['no bytes', 1, new Uint8Array(0)],
    ['varint of two bytes for one', 2, splice(raw, at.subaccount, 2, 0x18, 0x85, 0x00)],
    ['varint of eleven bytes', 2, splice(raw, at.subaccount, 2, 0x18, ...new Array<number>(10).fill(0x80), 0x01)],
    ['varint above 64 bits', 2, splice(raw, at.nonce, 7, 0x20, ...new Array<number>(9).fill(0xff), 0x02)],
    ['length of two bytes for one', 2, splice(raw, at.actions, 2, 0x32, 0x82, 0x00)],
    ['tag of two bytes for one', 2, splice(raw, at.subaccount, 1, 0x98, 0x00)],
    ['fields out of order', 2, splice(splice(raw, at.actions, 0, 0x18, 0x05), at.subaccount, 2)],
    ['a scalar twice', 2, splice(raw, at.subaccount, 0, 0x18, 0x05)],
    ['an unknown field', 2, Uint8Array.from([...raw, 0x50, 0x01])],
    ['another wire type', 2, splice(raw, at.subaccount, 2, 0x1d, 5, 0, 0, 0)],
    ['a default value written', 2, splice(raw, at.subaccount, 2, 0x18, 0x00)],
    ['an empty agent written', 2, Uint8Array.from([...raw, 0x4a, 0x00])],
    ['a default value in an action', 2, splice(raw, at.actions, 4, 0x32, 0x04, 0x1a, 0x02, 0x08, 0x00)],
    ['an unknown kind of action', 2, splice(raw, at.actions, 4, 0x32, 0x02, 0x32, 0x00)],
    ['two actions in one', 2, splice(raw, at.actions, 4, 0x32, 0x04, 0x1a, 0x00, 0x2a, 0x00)],
    ['both targets', 2, splice(raw, at.actions, 4, 0x32, 9, 0x12, 7, 0x08, 1, 0x12, 1, 0x61, 0x18, 1)],
    ['trailing bytes', 2, Uint8Array.from([...raw, 0x00])],
    ['the last byte missing', 2, raw.slice(0, -1)],
    ['an action longer than the transaction', 2, splice(raw, at.actions + 1, 1, 0x7f)],
    ['a group', 2, splice(raw, at.subaccount, 0, 0x1b, 0x1c)],
  ]
  return changes.map(([name, code, bytes]) => ({ ...valid, name, raw: bytes, key: undefined, code }))
}

export const allCases = async (): Promise<readonly Case[]> => [
  ...(await validCases()),
  ...(await foreignCases()),
  ...(await formCases()),
  ...(await valueCases()),
  ...(await encodingCases()),
]
