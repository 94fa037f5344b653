/** What validators are to sign for the contract, and how their signatures add up in state over heights. */
import type { BridgeContract } from '../../core/bridge-event.ts'
import { recoverBridgeSigner } from '../../core/bridge-signature.ts'
import { rootDigest, setDigest, withdrawalDomainHash } from '../../core/bridge-withdrawal.ts'
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import { treeRoot } from '../../core/withdrawal-tree.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { Attestations } from '../attestations.ts'
import type { BlockContext, EndBlockContext, MessageContext, ModuleContext } from '../module.ts'
import type { BridgeDependencies } from './deps.ts'
import { bridgeError } from './errors.ts'
import { rootSigned, setProposed, setSigned } from './events.ts'
import {
  nodesOf,
  readBridgeKey,
  readKeyOwner,
  readParams,
  readRoots,
  readSet,
  readWayBack,
  writeRoots,
  writeSet,
  writeWayBack,
} from './keeper/index.ts'
import { isAnother, isSigned, makeSet, toSigningSet } from './signing-set.ts'
import type { MemberSignatures, StoredRoot, StoredSet } from './way-back-record.ts'
import type { SubmittedSignature } from './wire.ts'

/** The first set is looked for so often: nothing can be signed before. */
const FIRST_SET_INTERVAL_BLOCKS = 10

/** What the present set signs. */
export interface Signing {
  readonly contract: BridgeContract
  /** The set that signs. */
  readonly set: StoredSet
  readonly root: { readonly record: StoredRoot; readonly digest: Uint8Array } | undefined
  readonly next: { readonly record: StoredSet; readonly digest: Uint8Array } | undefined
}

/** Reads what the present set signs; undefined where there is no set, or nothing to sign. */
export const readSigning = (state: StateReader, nativeChainId: string): Signing | undefined => {
  const { contract } = readParams(state)
  if (contract === undefined) return undefined
  const { setNonce } = readWayBack(state, contract)
  const { pending } = readRoots(state, contract)
  const next = setNonce === 0 ? undefined : readSet(state, contract, setNonce + 1)
  if (pending === undefined && next === undefined) return undefined
  const set = readSet(state, contract, setNonce)
  if (set === undefined) return undefined
  const domain = withdrawalDomainHash({ ...contract, nativeChainId })
  return {
    contract,
    set,
    root: pending && { record: pending, digest: rootDigest(domain, pending.root) },
    next: next && { record: next, digest: setDigest(domain, toSigningSet(next)) },
  }
}

/** A digest, and the addresses of the keys that have not signed it. */
export interface Unsigned {
  readonly digest: Uint8Array
  readonly missing: readonly Uint8Array[]
}

const unsignedOf = (
  { members }: StoredSet,
  { record, digest }: { readonly record: { readonly signatures: MemberSignatures }; readonly digest: Uint8Array },
): Unsigned => ({
  digest,
  missing: members.filter((_, place) => !record.signatures.has(place)).map(({ address }) => address),
})

/** Reads what a validator may sign with its next vote. */
export const readUnsigned = (state: StateReader, nativeChainId: string): readonly Unsigned[] => {
  const signing = readSigning(state, nativeChainId)
  if (signing === undefined) return []
  return [signing.root, signing.next].flatMap((each) => (each === undefined ? [] : unsignedOf(signing.set, each)))
}

/** The signature of a validator over a digest; undefined where its vote has none. */
type SignatureOf = (validator: Uint8Array) => Uint8Array | undefined

/**
 * Adds the signatures of members that have not signed, and returns the same map where there is no new one. A signature
 * counts when the key of the member made it, be it of the member itself or of the validator that has registered the key by now: operators
 * take their keys along.
 */
const addSignatures = (
  state: StateReader,
  { members }: StoredSet,
  before: MemberSignatures,
  digest: Uint8Array,
  signatureOf: SignatureOf,
): MemberSignatures => {
  const signatures = new Map(before)
  const isOf = (signature: Uint8Array, address: Uint8Array): boolean => {
    const signer = recoverBridgeSigner(digest, signature)
    return signer !== undefined && equalBytes(signer, address)
  }
  for (const [place, { address, validator }] of members.entries()) {
    if (signatures.has(place)) continue
    const owner = readKeyOwner(state, address)
    const holders = owner === undefined || equalBytes(owner, validator) ? [validator] : [validator, owner]
    const signature = holders.flatMap((each) => signatureOf(each) ?? []).find((each) => isOf(each, address))
    if (signature !== undefined) signatures.set(place, signature)
  }
  return signatures.size === before.size ? before : signatures
}

/** Returns whether there is a new signature over the root. */
const collectRoot = (
  { state, emit }: ModuleContext,
  { contract, set, root }: Signing,
  signatureOf: (digest: Uint8Array) => SignatureOf,
): boolean => {
  if (root === undefined) return false
  const signatures = addSignatures(state, set, root.record.signatures, root.digest, signatureOf(root.digest))
  if (signatures === root.record.signatures) return false
  const record = { ...root.record, signatures }
  const { signed } = readRoots(state, contract)
  const isDone = isSigned(set, signatures)
  writeRoots(state, contract, isDone ? { pending: undefined, signed: record } : { pending: record, signed })
  if (isDone) emit(rootSigned(record))
  return true
}

/** Returns whether there is a new signature over the next set, which is the present one once it is signed. */
const collectSet = (
  { state, emit }: ModuleContext,
  { contract, set, next }: Signing,
  signatureOf: (digest: Uint8Array) => SignatureOf,
): boolean => {
  if (next === undefined) return false
  const signatures = addSignatures(state, set, next.record.signatures, next.digest, signatureOf(next.digest))
  if (signatures === next.record.signatures) return false
  writeSet(state, contract, { ...next.record, signatures })
  if (!isSigned(set, signatures)) return true
  const { nonce } = next.record
  writeWayBack(state, contract, { ...readWayBack(state, contract), setNonce: nonce })
  // What the set before has not signed by now the next one signs anew.
  writeRoots(state, contract, { ...readRoots(state, contract), pending: undefined })
  emit(setSigned(nonce))
  return true
}

/** Takes what the votes of the last commit sign. */
export const collectSignatures = (context: BlockContext, { votes }: Attestations): void => {
  const said = new Map(
    votes.flatMap(({ validatorAddress, extension }) =>
      extension === undefined || extension.bridgeSignatures.length === 0
        ? []
        : [[bytesToKey(validatorAddress), extension.bridgeSignatures] as const],
    ),
  )
  const signing = said.size === 0 ? undefined : readSigning(context.state, context.chainId)
  if (signing === undefined) return
  const signatureOf =
    (digest: Uint8Array): SignatureOf =>
    (validator) =>
      said.get(bytesToKey(validator))?.find((each) => equalBytes(each.digest, digest))?.signature
  collectRoot(context, signing, signatureOf)
  collectSet(context, signing, signatureOf)
}

/** It pays for the recovery of a signature, and for what the state reads and writes of a set. */
const SIGNATURE_GAS = 50_000n

/**
 * Takes a signature of a member that has no votes to bring it: of one that left the validators before the next set was signed. Throws bridge/20.
 */
export const submitSignature = (context: MessageContext, { digest, signature }: SubmittedSignature): void => {
  context.consumeGas(SIGNATURE_GAS, 'a signature for the bridge')
  const signing = readSigning(context.state, context.chainId)
  const signer = recoverBridgeSigner(digest, signature)
  const member = signing?.set.members.find(({ address }) => signer !== undefined && equalBytes(address, signer))
  if (signing === undefined || member === undefined) throw bridgeError('signature')
  const signatureOf =
    (asked: Uint8Array): SignatureOf =>
    (validator) =>
      equalBytes(asked, digest) && equalBytes(validator, member.validator) ? signature : undefined
  const isNew = [collectRoot, collectSet].map((collect) => collect(context, signing, signatureOf))
  if (!isNew.includes(true)) throw bridgeError('signature')
}

/** Makes the next set where the validators are others than those of the present one, and no other waits to be signed. */
const renewSet = (context: ModuleContext, contract: BridgeContract, { votingPowers }: BridgeDependencies): void => {
  const { state, height, emit } = context
  const wayBack = readWayBack(state, contract)
  const { setNonce } = wayBack
  const interval = setNonce === 0 ? FIRST_SET_INTERVAL_BLOCKS : readParams(state).setIntervalBlocks
  if (height % interval !== 0 || (setNonce > 0 && readSet(state, contract, setNonce + 1) !== undefined)) return
  const made = makeSet(votingPowers(state, height), (validator) => readBridgeKey(state, validator))
  const present = readSet(state, contract, setNonce)
  if (made === undefined || (present !== undefined && !isAnother(present, made))) return
  const set = { ...made, nonce: setNonce + 1, height, signatures: new Map<number, Uint8Array>() }
  writeSet(state, contract, set)
  // The governor of the contract names the first one: nobody signs it.
  if (setNonce === 0) writeWayBack(state, contract, { ...wayBack, setNonce: 1 })
  emit(setProposed(set))
}

/** Has the newest root signed, where nobody has signed it for the present set, and no other one is being signed. */
const renewRoot = (state: StateWriter, contract: BridgeContract): void => {
  const { size, setNonce } = readWayBack(state, contract)
  if (size === 0 || setNonce === 0) return
  const roots = readRoots(state, contract)
  const { pending, signed } = roots
  if (pending !== undefined || (signed?.size === size && signed.nonce === setNonce)) return
  const root = treeRoot(size, nodesOf(state, contract))
  writeRoots(state, contract, { ...roots, pending: { root, size, nonce: setNonce, signatures: new Map() } })
}

/** Settles, at the end of a block, what validators sign with their votes for the next one. */
export const renewSigning = (context: EndBlockContext, dependencies: BridgeDependencies): void => {
  const { contract } = readParams(context.state)
  if (contract === undefined) return
  renewSet(context, contract, dependencies)
  renewRoot(context.state, contract)
}
