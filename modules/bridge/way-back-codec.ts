/** Values of the way back in the bridge's store: RLP lists. */
import { bigintToBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from '../../core/rlp.ts'
import { bigintOf, bytesOf, listOf, number, numberOf, textOf } from './rlp-fields.ts'
import type { Unheard } from './unheard.ts'
import type {
  Member,
  MemberSignatures,
  Roots,
  StoredRoot,
  StoredSet,
  StoredWithdrawal,
  WayBack,
} from './way-back-record.ts'

/** [size, held, day, amount of the day, height, in the block, nonce of the set] */
export const encodeWayBack = ({ size, held, day, dayAmount, height, inBlock, setNonce }: WayBack): Uint8Array =>
  encodeRlp([
    number(size),
    bigintToBytes(held),
    number(day),
    bigintToBytes(dayAmount),
    number(height),
    number(inBlock),
    number(setNonce),
  ])

export const decodeWayBack = (value: Uint8Array): WayBack => {
  const [size, held, day, dayAmount, height, inBlock, setNonce] = listOf(decodeRlp(value))
  return {
    size: numberOf(size),
    held: bigintOf(held),
    day: numberOf(day),
    dayAmount: bigintOf(dayAmount),
    height: numberOf(height),
    inBlock: numberOf(inBlock),
    setNonce: numberOf(setNonce),
  }
}

/** [sender, recipient, amount, denomination, height] */
export const encodeWithdrawal = ({ sender, recipient, amount, denom, height }: StoredWithdrawal): Uint8Array =>
  encodeRlp([sender, recipient, bigintToBytes(amount), utf8ToBytes(denom), number(height)])

export const decodeWithdrawal = (value: Uint8Array): StoredWithdrawal => {
  const [sender, recipient, amount, denom, height] = listOf(decodeRlp(value))
  return {
    sender: bytesOf(sender),
    recipient: bytesOf(recipient),
    amount: bigintOf(amount),
    denom: textOf(denom),
    height: numberOf(height),
  }
}

/** A list of [place, signature]. */
const signaturesItem = (signatures: MemberSignatures): RlpInput =>
  [...signatures].sort(([a], [b]) => a - b).map(([place, signature]) => [number(place), signature])
const signaturesOf = (item: RlpItem | undefined): MemberSignatures =>
  new Map(
    listOf(item).map((each) => {
      const [place, signature] = listOf(each)
      return [numberOf(place), bytesOf(signature)]
    }),
  )

const memberOf = (item: RlpItem): Member => {
  const [address, power, validator] = listOf(item)
  return { address: bytesOf(address), power: bigintOf(power), validator: bytesOf(validator) }
}

/** [nonce, [[address, power, validator]], threshold, height, signatures] */
export const encodeSet = ({ nonce, members, threshold, height, signatures }: StoredSet): Uint8Array =>
  encodeRlp([
    number(nonce),
    members.map(({ address, power, validator }) => [address, bigintToBytes(power), validator]),
    bigintToBytes(threshold),
    number(height),
    signaturesItem(signatures),
  ])

export const decodeSet = (value: Uint8Array): StoredSet => {
  const [nonce, members, threshold, height, signatures] = listOf(decodeRlp(value))
  return {
    nonce: numberOf(nonce),
    members: listOf(members).map(memberOf),
    threshold: bigintOf(threshold),
    height: numberOf(height),
    signatures: signaturesOf(signatures),
  }
}

/** [root, size, nonce, signatures], or an empty string. */
const rootItem = (root: StoredRoot | undefined): RlpInput =>
  root === undefined ? EMPTY_BYTES : [root.root, number(root.size), number(root.nonce), signaturesItem(root.signatures)]
const rootOf = (item: RlpItem | undefined): StoredRoot | undefined => {
  if (!Array.isArray(item)) return undefined
  const [root, size, nonce, signatures] = listOf(item)
  return { root: bytesOf(root), size: numberOf(size), nonce: numberOf(nonce), signatures: signaturesOf(signatures) }
}

/** [pending, signed] */
export const encodeRoots = ({ pending, signed }: Roots): Uint8Array => encodeRlp([rootItem(pending), rootItem(signed)])
export const decodeRoots = (value: Uint8Array): Roots => {
  const [pending, signed] = listOf(decodeRlp(value))
  return { pending: rootOf(pending), signed: rootOf(signed) }
}

/** [[validator, until]] */
export const encodeUnheard = (unheard: readonly Unheard[]): Uint8Array =>
  encodeRlp(unheard.map(({ validator, until }) => [validator, number(until)]))
export const decodeUnheard = (value: Uint8Array): readonly Unheard[] =>
  listOf(decodeRlp(value)).map((each) => {
    const [validator, until] = listOf(each)
    return { validator: bytesOf(validator), until: numberOf(until) }
  })
