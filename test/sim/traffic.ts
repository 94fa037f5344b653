/** A seeded stream of transactions: every type, contracts, failures, and the ones that no block may hold. */
import { getContractAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { MODULE_ACCOUNTS } from '../../app/genesis/module-accounts.ts'
import { makeAccount } from './accounts.ts'
import { multiSendMessage, type NativeFields, type Packed, sendMessage, signNative } from './native-transactions.ts'
import { CONSTRUCTORS, deploy, PROGRAMS, type ProgramName, words } from './programs.ts'
import type { Random } from './random.ts'

export const GWEI = 1_000_000_000n

export type TransactionType = 0 | 1 | 2 | 4

export interface TransactionFields {
  readonly nonce: number
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly tip?: bigint
  readonly chainId?: number
  /** EIP-7702: what accounts delegate to, with their nonces. */
  readonly authorizations?: readonly {
    readonly account: PrivateKeyAccount
    readonly to: Hex
    readonly nonce: number
    readonly chainId?: number
  }[]
}

export const EVM_CHAIN_ID = 2_517

/** Signs with viem: nothing of ours is between the fields and the bytes. */
export const signTransaction = async (
  account: PrivateKeyAccount,
  type: TransactionType,
  fields: TransactionFields,
): Promise<Uint8Array> => {
  const { maxFeePerGas = 10n * GWEI, tip = GWEI, authorizations = [], gas = 21_000n, ...rest } = fields
  const chainId = fields.chainId ?? EVM_CHAIN_ID
  const common = { ...rest, gas, chainId }
  const fees = { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
  if (type === 0)
    return hexToBytes(await account.signTransaction({ ...common, type: 'legacy', gasPrice: maxFeePerGas }))
  if (type === 1) {
    const accessList = fields.to === undefined ? [] : [{ address: fields.to, storageKeys: [words(0n), words(255n)] }]
    const signed = account.signTransaction({ ...common, type: 'eip2930', gasPrice: maxFeePerGas, accessList })
    return hexToBytes(await signed)
  }
  if (type === 2) return hexToBytes(await account.signTransaction({ ...common, ...fees, type: 'eip1559' }))
  const authorizationList = []
  for (const { account: authority, to, nonce, chainId: forChain } of authorizations) {
    authorizationList.push(await authority.signAuthorization({ address: to, nonce, chainId: forChain ?? chainId }))
  }
  return hexToBytes(await account.signTransaction({ ...common, ...fees, type: 'eip7702', authorizationList }))
}

export const makeAccounts = (random: Random, count: number): readonly PrivateKeyAccount[] =>
  Array.from({ length: count }, () => makeAccount(random.hex(32)))

const SYSTEM_ADDRESSES: readonly Hex[] = [
  ...MODULE_ACCOUNTS.map((name) => bytesToHex(moduleAddress(name))),
  bytesToHex(FEE_COLLECTOR_ADDRESS),
]
/** The precompiles of Osaka: those of Frontier to Cancun, the curve BLS12-381 and P-256. */
const PRECOMPILES: readonly Hex[] = [...Array.from({ length: 0x11 }, (_, index) => index + 1), 0x100].map(
  (number): Hex => `0x${number.toString(16).padStart(40, '0')}`,
)
const NO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000'
/** Share of native transactions. */
const NATIVE_PERCENT = 20
const PROGRAM_NAMES = Object.keys(PROGRAMS) as ProgramName[]

export type NonceOf = (account: PrivateKeyAccount) => Promise<number>

interface Deployed {
  readonly address: Hex
  readonly name: ProgramName
}

export interface TrafficOptions {
  readonly random: Random
  readonly accounts: readonly PrivateKeyAccount[]
  /** CometBFT's chain id. */
  readonly chainId: string
  readonly nonceOf: NonceOf
}

export class Traffic {
  readonly random: Random
  readonly accounts: readonly PrivateKeyAccount[]
  readonly #chainId: string
  readonly #nonceOf: NonceOf
  readonly #deployed: Deployed[] = []

  constructor({ random, accounts, chainId, nonceOf }: TrafficOptions) {
    this.random = random
    this.accounts = accounts
    this.#chainId = chainId
    this.#nonceOf = nonceOf
  }

  /** Address of a contract that this traffic deployed, or tried to; the zero address before. */
  get deployedAddress(): Hex {
    return this.#target()?.address ?? NO_ADDRESS
  }

  /** The next valid transaction. Valid at its place only if none before it takes its sender's nonce or funds. */
  async next(): Promise<Uint8Array> {
    const { random } = this
    const account = random.pick(this.accounts)
    const nonce = await this.#nonceOf(account)
    if (random.chance(NATIVE_PERCENT)) return this.#native(account, nonce)
    const kind = random.below(100)
    if (kind < 25) return this.#transfer(account, nonce)
    if (kind < 40) return this.#create(account, nonce)
    if (kind < 48) return this.#initCodeOnly(account, nonce)
    if (kind < 58) return this.#delegate(account, nonce)
    if (kind < 63) return this.#precompile(account, nonce)
    if (kind < 70) {
      const to = random.pick(SYSTEM_ADDRESSES)
      return this.#send(account, { nonce, to, gas: 60_000n, data: random.hex(random.below(40)) })
    }
    return this.#call(account, nonce)
  }

  #send(account: PrivateKeyAccount, fields: TransactionFields): Promise<Uint8Array> {
    const { random } = this
    const type = random.pick([0, 1, 2, 2] as const)
    const tip = BigInt(random.below(3_000)) * 1_000_000n + GWEI
    const { gas = 21_000n } = fields
    // An access list of one address and two slots.
    return signTransaction(account, type, {
      ...fields,
      gas: type === 1 ? gas + 6_200n : gas,
      tip,
      maxFeePerGas: 40n * GWEI,
    })
  }

  #transfer(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const { random } = this
    const to = random.chance(50) ? random.pick(this.accounts).address : random.hex(20)
    return this.#send(account, { nonce, to, value: BigInt(random.below(1_000_000)), gas: 60_000n })
  }

  #create(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const name = this.random.pick(PROGRAM_NAMES)
    this.#deployed.push({ address: getContractAddress({ from: account.address, nonce: BigInt(nonce) }), name })
    return this.#send(account, { nonce, data: deploy(PROGRAMS[name]), gas: 300_000n })
  }

  #initCodeOnly(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const data = this.random.pick(Object.values(CONSTRUCTORS))
    const value = data === CONSTRUCTORS.reverts ? 0n : BigInt(this.random.below(1_000_000))
    return this.#send(account, { nonce, data, value, gas: 200_000n })
  }

  /** Calls a precompile with what may be an input and mostly is none. */
  #precompile(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const { random } = this
    const data = random.hex(random.pick([0, 32, 64, 96, 128, 160, 192, 213, 288, 384]))
    const deployed = this.#deployed.find(({ name }) => name === 'calculator')
    const to = random.pick(PRECOMPILES)
    const gas = 400_000n
    if (deployed === undefined || random.chance(50)) return this.#send(account, { nonce, to, gas, data })
    return this.#send(account, { nonce, to: deployed.address, gas, data: `${words(to)}${data.slice(2)}` as Hex })
  }

  /** A native transaction of one or two signers; some of its messages fail, and some run out of gas. */
  async #native(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const { random } = this
    const signers = [{ account, sequence: nonce }]
    const messages = [this.#nativeMessage(account)]
    while (random.chance(25)) messages.push(this.#nativeMessage(account))
    const other = random.pick(this.accounts)
    if (other !== account && random.chance(15)) {
      signers.push({ account: other, sequence: await this.#nonceOf(other) })
      messages.push(this.#nativeMessage(other))
    }
    const gas = BigInt(random.pick([90_000, 200_000, 400_000]))
    const gasPrice = 4n * GWEI + BigInt(random.below(30_000)) * 1_000_000n
    return signNative({ chainId: this.#chainId, messages, signers, gas, gasPrice })
  }

  #nativeMessage(from: PrivateKeyAccount): Packed {
    const { random } = this
    const someone = (): Uint8Array =>
      random.chance(50) ? hexToBytes(random.pick(this.accounts).address) : random.bytes(20)
    const kind = random.below(10)
    if (kind === 0)
      return sendMessage(from, hexToBytes(random.pick(SYSTEM_ADDRESSES)), [{ denom: 'anat', amount: '1' }])
    if (kind === 1) return sendMessage(from, someone(), [{ denom: 'anat', amount: (10n ** 30n).toString() }])
    if (kind === 2) return multiSendMessage(from, [someone(), someone(), someone()], BigInt(1 + random.below(1_000)))
    const contract = this.#target()?.address
    const to = contract !== undefined && random.chance(30) ? hexToBytes(contract) : someone()
    const other = { denom: 'ibc/1234', amount: String(1 + random.below(40)) }
    const own = { denom: 'anat', amount: String(1 + random.below(1_000_000)) }
    return sendMessage(from, to, kind === 3 ? [own, other] : kind === 4 ? [other] : [own])
  }

  #target(): Deployed | undefined {
    return this.#deployed.length === 0 ? undefined : this.random.pick(this.#deployed)
  }

  async #call(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const { random } = this
    const target = this.#target()
    if (target === undefined) return this.#transfer(account, nonce)
    const word = (below: number): bigint => BigInt(random.below(below))
    const { address: to, name } = target
    const gas = 250_000n
    if (name === 'writer') return this.#send(account, { nonce, to, gas, data: words(word(8), word(3)) })
    if (name === 'historian') return this.#send(account, { nonce, to, gas, data: words(word(400)) })
    if (name === 'factory') return this.#send(account, { nonce, to, gas, value: word(1_000), data: words(word(4)) })
    if (name !== 'forwarder') return this.#send(account, { nonce, to, gas, value: word(50), data: words(word(100)) })
    const inner = random.chance(30)
      ? random.pick([...SYSTEM_ADDRESSES, ...PRECOMPILES])
      : (this.#target()?.address ?? to)
    return this.#send(account, { nonce, to, gas, value: 10n, data: words(inner, word(12), word(8), word(3)) })
  }

  /** An account delegates to a contract, to a system account, or to nothing. */
  async #delegate(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const { random } = this
    const authority = random.pick(this.accounts)
    const own = authority === account ? nonce + 1 : await this.#nonceOf(authority)
    const to = random.pick([this.#target()?.address ?? NO_ADDRESS, random.pick(SYSTEM_ADDRESSES), NO_ADDRESS])
    const authorizations = [
      // Some are void: an old nonce, or another chain.
      { account: authority, to, nonce: random.chance(80) ? own : own + 5, chainId: random.pick([0, EVM_CHAIN_ID, 1]) },
    ]
    const target = random.pick([authority.address, account.address, random.hex(20)])
    return signTransaction(account, 4, { nonce, to: target, gas: 200_000n, maxFeePerGas: 40n * GWEI, authorizations })
  }
}

/** What a faulty proposer may put into a block. Each is invalid wherever it stands after the injected transaction. */
export const INVALID_KINDS = [
  'a nonce that was used',
  'a nonce ahead',
  'no funds',
  'another chain',
  'below the base fee',
  'gas below the intrinsic',
  'a broken signature',
  'garbage of an Ethereum type',
  'a blob transaction',
  'native bytes',
  'a native sequence that was used',
  'a native sequence ahead',
  'a native signature for another chain',
  'a native fee below the base fee',
  'a native transaction that came too late',
  'a native transaction without the gas for its size',
  'order book bytes',
  'an unknown family',
  'no bytes at all',
  'a second injected one',
  'more gas than the block',
] as const
export type InvalidKind = (typeof INVALID_KINDS)[number]

export interface InvalidContext {
  readonly random: Random
  /** Has funds; `nonce` is its own. */
  readonly account: PrivateKeyAccount
  readonly nonce: number
  readonly chainId: string
  readonly injected: Uint8Array | undefined
  readonly blockGas: bigint
}

export const makeInvalid = async (kind: InvalidKind, context: InvalidContext): Promise<Uint8Array> => {
  const { random, account, nonce, chainId, injected, blockGas } = context
  const to = random.hex(20)
  const sign = (fields: Partial<TransactionFields>, from = account): Promise<Uint8Array> =>
    signTransaction(from, 2, { nonce, to, ...fields })
  const native = (fields: Partial<NativeFields>, sequence = nonce): Promise<Uint8Array> =>
    signNative({
      chainId,
      messages: [sendMessage(account, hexToBytes(to), [{ denom: 'anat', amount: '1' }])],
      signers: [{ account, sequence }],
      ...fields,
    })
  switch (kind) {
    case 'a nonce that was used':
      return nonce === 0 ? sign({ nonce: 1 }) : sign({ nonce: nonce - 1 })
    case 'a nonce ahead':
      return sign({ nonce: nonce + 1_000 })
    case 'no funds':
      return sign({ nonce: 0 }, makeAccount(random.hex(32)))
    case 'another chain':
      return sign({ chainId: 1 })
    case 'below the base fee':
      return sign({ maxFeePerGas: GWEI, tip: 1n })
    case 'gas below the intrinsic':
      return sign({ gas: 20_999n })
    case 'a broken signature': {
      // The last bytes are s: far above the half of the curve's order.
      const raw = await sign({})
      return concatBytes(raw.subarray(0, raw.length - 31), new Uint8Array(31).fill(0xff))
    }
    case 'garbage of an Ethereum type':
      return concatBytes(Uint8Array.of(random.pick([1, 2, 4, 0xc0, 0xf8])), random.bytes(60))
    case 'a blob transaction':
      return concatBytes(Uint8Array.of(3), (await sign({})).subarray(1))
    case 'native bytes':
      return concatBytes(Uint8Array.of(0x0a), random.bytes(80))
    case 'a native sequence that was used':
      return native({}, nonce === 0 ? 1 : nonce - 1)
    case 'a native sequence ahead':
      return native({}, nonce + 1_000)
    case 'a native signature for another chain':
      return native({ chainId: 'other-1' })
    case 'a native fee below the base fee':
      return native({ gasPrice: GWEI })
    case 'a native transaction that came too late':
      return native({ timeoutHeight: 1n })
    case 'a native transaction without the gas for its size':
      return native({ gas: 22_000n })
    case 'order book bytes':
      return concatBytes(Uint8Array.of(0x70), random.bytes(80))
    case 'an unknown family':
      return concatBytes(Uint8Array.of(random.pick([0, 5, 0x40, 0x7f, 0xbf])), random.bytes(80))
    case 'no bytes at all':
      return new Uint8Array(0)
    case 'a second injected one':
      return injected ?? Uint8Array.of(0x71)
    case 'more gas than the block':
      return sign({ gas: blockGas + 1n })
  }
}
