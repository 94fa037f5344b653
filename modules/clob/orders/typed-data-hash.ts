/**
 * The digest of EIP-712 for a ClobTx. All its structs are flat and of fixed size, so their words are written into one array,
 * and the hashes of the few texts are known: a fraction of what a general implementation takes.
 */
import { utf8ToBytes } from '../../../core/bytes.ts'
import { EMPTY_CODE_HASH, type Hash, keccak256 } from '../../../core/hash.ts'
import type { Action, ClobTx } from './clob-tx.ts'
import { CLOB_TYPES, DOMAIN_NAME, DOMAIN_VERSION, domainSalt, flattenAction, type SigningChain } from './typed-data.ts'
import { POST_ONLY_MODES, SELF_TRADE_PREVENTIONS, SIDES, TIMES_IN_FORCE, TRIGGER_KINDS } from './wire-names.ts'

const WORD_BYTES = 32
const PREFIX = Uint8Array.of(0x19, 0x01)

const hashText = (text: string): Hash => keccak256(utf8ToBytes(text))

const printType = (name: string, members: readonly { readonly name: string; readonly type: string }[]): string =>
  `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`

const ACTION_TYPE = printType('Action', CLOB_TYPES.Action)
const ACTION_TYPE_HASH = hashText(ACTION_TYPE)
const TX_TYPE_HASH = hashText(printType('ClobTx', CLOB_TYPES.ClobTx) + ACTION_TYPE)
const DOMAIN_TYPE_HASH = hashText('EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)')

const KINDS = ['place', 'cancel', 'cancelAll', 'replace', 'scheduleCancel'] as const satisfies readonly Action['kind'][]

/** Every text that a ClobTx can hold. */
const TEXT_HASHES: ReadonlyMap<string, Hash> = new Map(
  [
    '',
    'both',
    ...KINDS,
    ...SIDES,
    ...TIMES_IN_FORCE,
    ...SELF_TRADE_PREVENTIONS,
    ...TRIGGER_KINDS,
    ...POST_ONLY_MODES,
  ].flatMap((text) => (text === undefined ? [] : [[text, hashText(text)] as const])),
)

const hashOfText = (text: string): Hash => TEXT_HASHES.get(text) ?? hashText(text)

const hashOfBytes = (bytes: Uint8Array): Hash => (bytes.length === 0 ? EMPTY_CODE_HASH : keccak256(bytes))

/** The words of a struct, one after the other. */
class Words {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(count: number) {
    this.#bytes = new Uint8Array(count * WORD_BYTES)
  }

  /** Begins anew. */
  begin(typeHash: Hash): void {
    this.#bytes.fill(0)
    this.#at = 0
    this.bytes(typeHash)
  }

  /** Takes at most 32 bytes; shorter ones stand at the end of the word, as an address does. */
  bytes(bytes: Uint8Array): void {
    this.#at += WORD_BYTES
    this.#bytes.set(bytes, this.#at - bytes.length)
  }

  /** Takes a number below 2^53. */
  uint(value: number): void {
    this.#at += WORD_BYTES
    for (let at = this.#at, rest = value; rest > 0; rest = Math.floor(rest / 256)) this.#bytes[--at] = rest % 256
  }

  hash(): Hash {
    return keccak256(this.#bytes)
  }
}

const hashAction = (words: Words, action: Action): Hash => {
  const flat = flattenAction(action)
  words.begin(ACTION_TYPE_HASH)
  words.bytes(hashOfText(flat.kind))
  words.uint(flat.market)
  words.bytes(hashOfText(flat.side))
  words.uint(flat.priceTicks)
  words.uint(flat.qtyLots)
  words.bytes(hashOfText(flat.tif))
  words.bytes(hashOfText(flat.stp))
  words.bytes(hashOfBytes(flat.clientId))
  words.uint(flat.expireS)
  words.uint(flat.triggerTicks)
  words.bytes(hashOfText(flat.triggerKind))
  words.uint(flat.maxFills)
  words.bytes(hashOfText(flat.postOnlyMode))
  words.bytes(hashOfBytes(flat.targetClientId))
  words.uint(flat.targetSeq)
  words.uint(flat.keepPriority ? 1 : 0)
  words.uint(flat.atMs)
  return words.hash()
}

const hashActions = (actions: readonly Action[]): Hash => {
  const words = new Words(CLOB_TYPES.Action.length + 1)
  const hashes = new Uint8Array(actions.length * WORD_BYTES)
  let at = 0
  for (const action of actions) {
    hashes.set(hashAction(words, action), at)
    at += WORD_BYTES
  }
  return keccak256(hashes)
}

const hashDomain = (chain: SigningChain): Hash => {
  const words = new Words(5)
  words.begin(DOMAIN_TYPE_HASH)
  words.bytes(hashText(DOMAIN_NAME))
  words.bytes(hashText(DOMAIN_VERSION))
  words.uint(chain.evmChainId)
  words.bytes(domainSalt(chain))
  return words.hash()
}

/** A node signs and checks for one chain. It only spares work: what it holds follows from its key. */
const domainHashes = new WeakMap<SigningChain, Hash>()

const domainHashOf = (chain: SigningChain): Hash => {
  const known = domainHashes.get(chain)
  if (known !== undefined) return known
  const hash = hashDomain(chain)
  domainHashes.set(chain, hash)
  return hash
}

/** What scheme 1 signs: keccak256(0x1901 || domain || ClobTx). */
export const hashTypedTx = (tx: ClobTx, chain: SigningChain): Hash => {
  const words = new Words(CLOB_TYPES.ClobTx.length + 1)
  words.begin(TX_TYPE_HASH)
  words.bytes(tx.owner)
  // No agent is the zero address.
  if (tx.agent === undefined) words.uint(0)
  else words.bytes(tx.agent)
  words.uint(tx.subaccount)
  words.uint(tx.nonceMs)
  words.uint(tx.goodTilBlock)
  words.bytes(hashActions(tx.actions))
  return keccak256(PREFIX, domainHashOf(chain), words.hash())
}
