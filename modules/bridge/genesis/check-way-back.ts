/** What must fit together in the genesis of the way back. A fault names the field. */
import { recoverBridgeSigner } from '../../../core/bridge-signature.ts'
import { rootDigest, setDigest, withdrawalDomainHash } from '../../../core/bridge-withdrawal.ts'
import { equalBytes } from '../../../core/bytes.ts'
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { failAt } from '../../../core/parse.ts'
import { treeRoot } from '../../../core/withdrawal-tree.ts'
import type { StateReader } from '../../../store/state.ts'
import { nodesOf, readSet } from '../keeper/index.ts'
import { isSigned, toSigningSet } from '../signing-set.ts'
import type { MemberSignatures, StoredSet } from '../way-back-record.ts'
import type { WayBackGenesis } from './way-back.ts'

type Genesis = Pick<WayBackGenesis, 'sets' | 'wayBack' | 'withdrawals'>
const ROOTS = ['pending', 'signed'] as const

const keyOf = ({ chainId, address }: BridgeContract): string => `${chainId}/${bytesToHex(address)}`

/** The sets of each contract by nonce, which count from 1 on. Throws genesis/1 for one that does not follow. */
const setsByContract = (sets: Genesis['sets'], path: string): ReadonlyMap<string, readonly StoredSet[]> => {
  const known = new Map<string, StoredSet[]>()
  for (const [index, [contract, set]] of sets.entries()) {
    const before = known.get(keyOf(contract)) ?? []
    known.set(keyOf(contract), before)
    if (set.nonce !== before.length + 1) failAt(`${path}[${index}].nonce`, `must be ${before.length + 1}`)
    const unordered = set.members.findIndex(
      ({ address }, place) =>
        place > 0 && bytesToHex(address) <= bytesToHex(set.members[place - 1]?.address ?? address),
    )
    if (unordered >= 0) failAt(`${path}[${index}].members[${unordered}].address`, 'must be above the one before it')
    const power = set.members.reduce((sum, member) => sum + member.power, 0n)
    // The contract takes no other set, and would follow none behind it.
    if (set.threshold >= power || set.threshold < (power * 2n) / 3n) {
      failAt(
        `${path}[${index}].threshold`,
        `must be at least two thirds of the power of its members (${power}), and below it`,
      )
    }
    requireMembers(set.signatures, before.at(-1), `${path}[${index}].signatures`)
    before.push(set)
  }
  return known
}

/** A signature names its member by the place in the set that signs. Throws genesis/1. */
const requireMembers = (signatures: MemberSignatures, signers: StoredSet | undefined, path: string): void => {
  const count = signers?.members.length ?? 0
  for (const [index, member] of [...signatures.keys()].entries()) {
    if (member >= count) failAt(`${path}[${index}].member`, `is ${member}, and the set that signs has ${count} members`)
  }
}

/** Throws genesis/1 where sets do not follow one another, or a root or a signature is of none of them. */
export const requireSets = ({ sets, wayBack, withdrawals }: Genesis, path: string): void => {
  const known = setsByContract(sets, `${path}.signing_sets`)
  const sizes = new Map<string, number>()
  for (const [contract] of withdrawals) sizes.set(keyOf(contract), (sizes.get(keyOf(contract)) ?? 0) + 1)
  const named = new Set<string>()
  for (const [index, [contract, record]] of wayBack.entries()) {
    const place = `${path}.way_back[${index}]`
    const own = known.get(keyOf(contract)) ?? []
    if (named.has(keyOf(contract))) failAt(`${place}.contract`, 'stands before it')
    named.add(keyOf(contract))
    const { setNonce } = record
    if (setNonce > own.length || setNonce < Math.min(own.length, Math.max(1, own.length - 1))) {
      failAt(`${place}.set_nonce`, `must be that of the last set (${own.length}) or of the one before it`)
    }
    for (const name of ROOTS) {
      const root = record[name]
      if (root === undefined) continue
      const signers = root.nonce > setNonce ? undefined : own[root.nonce - 1]
      if (signers === undefined || (name === 'pending' && root.nonce !== setNonce)) {
        failAt(`${place}.${name}.nonce`, `must be that of a set in force, ${setNonce} at most`)
      }
      const size = sizes.get(keyOf(contract)) ?? 0
      if (root.size === 0 || root.size > size) failAt(`${place}.${name}.size`, `must be between 1 and ${size}`)
      requireMembers(root.signatures, signers, `${place}.${name}.signatures`)
      if (signers !== undefined && isSigned(signers, root.signatures) !== (name === 'signed')) {
        failAt(
          `${place}.${name}.signatures`,
          `must ${name === 'signed' ? '' : 'not '}have more than the threshold of the set`,
        )
      }
    }
  }
  const lost = sets.findIndex(([contract]) => !named.has(keyOf(contract)))
  if (lost >= 0) failAt(`${path}.signing_sets[${lost}].contract`, 'must stand in way_back')
}

/** Each signature is that of the key of its member. Throws genesis/1. */
const requireSigners = (
  digest: Uint8Array,
  signatures: MemberSignatures,
  signers: StoredSet | undefined,
  path: string,
  chainId: string,
): void => {
  for (const [index, [member, signature]] of [...signatures].entries()) {
    const signer = recoverBridgeSigner(digest, signature)
    const address = signers?.members[member]?.address
    if (signer === undefined || address === undefined || !equalBytes(signer, address)) {
      failAt(
        `${path}[${index}].signature`,
        `is not of member ${member} over it for the chain id ${chainId}: keep that of the export`,
      )
    }
  }
}

/**
 * The chain id is part of leaves, roots and sets: those that were made for another one would never be released. Throws genesis/1 once the
 * withdrawals are in state.
 */
export const requireSignedHere = (
  state: StateReader,
  { sets, wayBack }: Genesis,
  nativeChainId: string,
  path: string,
): void => {
  const domainOf = (contract: BridgeContract): Uint8Array => withdrawalDomainHash({ ...contract, nativeChainId })
  for (const [index, [contract, record]] of wayBack.entries()) {
    for (const name of ROOTS) {
      const root = record[name]
      if (root === undefined) continue
      const place = `${path}.way_back[${index}].${name}`
      if (!equalBytes(treeRoot(root.size, nodesOf(state, contract)), root.root)) {
        failAt(
          `${place}.root`,
          `is not that of ${root.size} withdrawals of the chain id ${nativeChainId}: keep that of the export`,
        )
      }
      const digest = rootDigest(domainOf(contract), root.root)
      const signers = readSet(state, contract, root.nonce)
      requireSigners(digest, root.signatures, signers, `${place}.signatures`, nativeChainId)
    }
  }
  for (const [index, [contract, set]] of sets.entries()) {
    const digest = setDigest(domainOf(contract), toSigningSet(set))
    const signers = readSet(state, contract, set.nonce - 1)
    requireSigners(digest, set.signatures, signers, `${path}.signing_sets[${index}].signatures`, nativeChainId)
  }
}
