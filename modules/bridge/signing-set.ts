/** Who signs for the contract: pure functions of the powers of validators and of the keys that they have registered. */
import type { SigningSet } from '../../core/bridge-withdrawal.ts'
import { bytesToKey, compareBytes, equalBytes } from '../../core/bytes.ts'
import { MAX_MEMBERS, type Member, type MemberSignatures, type StoredSet } from './way-back-record.ts'

interface Voter {
  readonly address: Uint8Array
  readonly power: bigint
}

export type Membership = Pick<StoredSet, 'members' | 'threshold'>

/**
 * Makes the set of those validators that have a key; the most powerful ones where there are too many. Two thirds of the power of all validators
 * are the threshold: those without a key make it harder to sign. Undefined where the members together could not sign.
 */
export const makeSet = (
  voters: readonly Voter[],
  keyOf: (validator: Uint8Array) => Uint8Array | undefined,
): Membership | undefined => {
  let total = 0n
  const candidates: Member[] = []
  for (const { address: validator, power } of voters) {
    total += power
    const address = power > 0n ? keyOf(validator) : undefined
    if (address !== undefined) candidates.push({ address, power, validator })
  }
  const byPower = (a: Member, b: Member): number =>
    a.power === b.power ? compareBytes(a.address, b.address) : a.power > b.power ? -1 : 1
  const members = candidates
    .sort(byPower)
    .slice(0, MAX_MEMBERS)
    .sort((a, b) => compareBytes(a.address, b.address))
  const threshold = (total * 2n) / 3n
  const listed = members.reduce((sum, { power }) => sum + power, 0n)
  return listed > threshold ? { members, threshold } : undefined
}

/** It is enough that one of so many parts of the power goes from some to others. It counts twice, where it was and where it is. */
const SHARE = 20n

/** Whether a set is so far from the one before that the contract must follow: other keys, a key of another validator, or a twentieth of the power moved. */
export const isAnother = (before: Membership, after: Membership): boolean => {
  const members = new Map(before.members.map((member) => [bytesToKey(member.address), member]))
  if (after.members.length !== before.members.length) return true
  let moved = 0n
  // Shares are compared, of which the thresholds are two thirds: a power that grows with all others moves nothing.
  for (const { address, power, validator } of after.members) {
    const former = members.get(bytesToKey(address))
    // A key that went to another validator stands for the power of that one.
    if (former === undefined || !equalBytes(former.validator, validator)) return true
    const difference = power * before.threshold - former.power * after.threshold
    moved += difference < 0n ? -difference : difference
  }
  return moved > 0n && moved * SHARE >= before.threshold * after.threshold * 3n
}

/** Adds up the power of those who signed. */
export const signedPower = ({ members }: Pick<StoredSet, 'members'>, signatures: MemberSignatures): bigint => {
  let power = 0n
  for (const place of signatures.keys()) power += members[place]?.power ?? 0n
  return power
}

export const isSigned = (set: Membership, signatures: MemberSignatures): boolean =>
  signedPower(set, signatures) > set.threshold

/** The set as the contract reads it. */
export const toSigningSet = ({ nonce, members, threshold }: StoredSet): SigningSet => ({
  nonce: BigInt(nonce),
  members,
  threshold,
})
