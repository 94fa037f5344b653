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
import { rootSigned, setProposed, setSigned, signatureUseless } from './events.ts'
import {
  nodesOf,
  readBridgeKey,
  readParams,
  readRoots,
  readSet,
  readUnheard,
  readWayBack,
  writeRoots,
  writeSet,
  writeUnheard,
  writeWayBack,
} from './keeper/index.ts'
import { isAnother, isSigned, makeSet, toSigningSet } from './signing-set.ts'
import type { MemberSignatures, StoredRoot, StoredSet } from './way-back-record.ts'
import { addUnheard, UNHEARD_BLOCKS, unheardAt } from './unheard.ts'
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

/** A signature, and the validator whose vote brought it; undefined for one that somebody sent. */
interface SaidSignature extends SubmittedSignature {
  readonly validator: Uint8Array | undefined
}

/** The signatures of a root or a set with the new ones, and who brought by its vote what adds nothing. */
interface Added {
  /** The same map where nothing is new. */
  readonly signatures: MemberSignatures
  readonly useless: readonly Uint8Array[]
}

/**
 * Adds the signatures of members that have not signed. The key of a member makes it a signature of the member, whoever brings it:
 * operators take their keys along. Each is recovered once, and none that is held already.
 */
const addSignatures = ({ members }: StoredSet, before: MemberSignatures, said: readonly SaidSignature[]): Added => {
  const places = new Map(members.map(({ address }, place) => [bytesToKey(address), place]))
  const held = new Set([...before.values()].map(bytesToKey))
  const signatures = new Map(before)
  const useless: Uint8Array[] = []
  for (const { digest, signature, validator } of said) {
    if (signatures.size === members.length) break
    if (held.has(bytesToKey(signature))) continue
    const signer = recoverBridgeSigner(digest, signature)
    const place = signer && places.get(bytesToKey(signer))
    if (place === undefined || signatures.has(place)) {
      if (validator !== undefined) useless.push(validator)
      continue
    }
    signatures.set(place, signature)
    held.add(bytesToKey(signature))
  }
  return { signatures: signatures.size === before.size ? before : signatures, useless }
}

const over = (digest: Uint8Array, said: readonly SaidSignature[]): readonly SaidSignature[] =>
  said.filter((each) => equalBytes(each.digest, digest))

/** What came of signatures: whether one was new, and who brought what adds nothing. */
interface Collected {
  readonly isNew: boolean
  readonly useless: readonly Uint8Array[]
}

const NOTHING: Collected = { isNew: false, useless: [] }

const collectRoot = (
  { state, emit }: ModuleContext,
  { contract, set, root }: Signing,
  said: readonly SaidSignature[],
): Collected => {
  if (root === undefined) return NOTHING
  const { signatures, useless } = addSignatures(set, root.record.signatures, over(root.digest, said))
  if (signatures === root.record.signatures) return { isNew: false, useless }
  const record = { ...root.record, signatures }
  const { signed } = readRoots(state, contract)
  const isDone = isSigned(set, signatures)
  writeRoots(state, contract, isDone ? { pending: undefined, signed: record } : { pending: record, signed })
  if (isDone) emit(rootSigned(record))
  return { isNew: true, useless }
}

/** The next set is the present one once it is signed. */
const collectSet = (
  { state, emit }: ModuleContext,
  { contract, set, next }: Signing,
  said: readonly SaidSignature[],
): Collected => {
  if (next === undefined) return NOTHING
  const { signatures, useless } = addSignatures(set, next.record.signatures, over(next.digest, said))
  if (signatures === next.record.signatures) return { isNew: false, useless }
  writeSet(state, contract, { ...next.record, signatures })
  if (!isSigned(set, signatures)) return { isNew: true, useless }
  const { nonce } = next.record
  writeWayBack(state, contract, { ...readWayBack(state, contract), setNonce: nonce })
  // What the set before has not signed by now the next one signs anew.
  writeRoots(state, contract, { ...readRoots(state, contract), pending: undefined })
  emit(setSigned(nonce))
  return { isNew: true, useless }
}

/** Takes what the votes of the last commit sign; those of validators that are unheard are not looked at. */
export const collectSignatures = (context: BlockContext, { votes }: Attestations): void => {
  const { state, height, chainId, emit } = context
  const speakers = votes.filter(({ extension }) => (extension?.bridgeSignatures.length ?? 0) > 0)
  const signing = speakers.length === 0 ? undefined : readSigning(state, chainId)
  if (signing === undefined) return
  const unheard = readUnheard(state)
  const unheardNow = unheardAt(unheard, height)
  const said = speakers.flatMap(({ validatorAddress: validator, extension }) =>
    unheardNow.has(bytesToKey(validator))
      ? []
      : (extension?.bridgeSignatures ?? []).map((each): SaidSignature => ({ ...each, validator })),
  )
  const useless = [collectRoot, collectSet].flatMap((collect) => collect(context, signing, said).useless)
  if (useless.length === 0) return
  writeUnheard(state, addUnheard(unheard, useless, height))
  for (const validator of new Map(useless.map((each) => [bytesToKey(each), each])).values()) {
    emit(signatureUseless(validator, height + UNHEARD_BLOCKS))
  }
}

/** It pays for the recovery of a signature, and for what the state reads and writes of a set. */
const SIGNATURE_GAS = 50_000n

/**
 * Takes a signature of a member that has no votes to bring it: of one that left the validators before the next set was signed. Throws bridge/20.
 */
export const submitSignature = (context: MessageContext, submitted: SubmittedSignature): void => {
  context.consumeGas(SIGNATURE_GAS, 'a signature for the bridge')
  const signing = readSigning(context.state, context.chainId)
  if (signing === undefined) throw bridgeError('signature')
  const said = [{ ...submitted, validator: undefined }]
  const isNew = [collectRoot, collectSet].map((collect) => collect(context, signing, said).isNew)
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
