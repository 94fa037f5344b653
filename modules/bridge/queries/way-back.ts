/** The queries of nat.bridge.v1.Query about the way back. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { rootDigest, setDigest, withdrawalDomainHash, withdrawalLeaf } from '../../../core/bridge-withdrawal.ts'
import { readUint32, uint32ToBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { treeProof } from '../../../core/withdrawal-tree.ts'
import { type bridge, bridgeQuery } from '../../../proto/index.ts'
import type { StateReader } from '../../../store/state.ts'
import { handleQuery } from '../../handlers.ts'
import type { QueryContext, QueryHandler } from '../../module.ts'
import { takePage } from '../../pages.ts'
import { queryRefusal } from '../../sdk-errors.ts'
import { formatConsensusAddress } from '../../validator-addresses.ts'
import {
  listBridgeKeys,
  listWithdrawals,
  nodesOf,
  readBurned,
  readParams,
  readRoots,
  readSet,
  readWayBack,
  readWithdrawal,
} from '../keeper/index.ts'
import { isSigned, signedPower, toSigningSet } from '../signing-set.ts'
import type { MemberSignatures, StoredRoot, StoredSet, StoredWithdrawal } from '../way-back-record.ts'
import { parseNamedContract } from '../wire.ts'

const { method } = bridgeQuery.Query

interface Named {
  readonly chainId: bigint
  readonly contract: string
}

/** The contract that is named, or that of the parameters. Throws grpc/3 for no address, and grpc/5 where there is none. */
const contractOf = (state: StateReader, { chainId, contract }: Named): BridgeContract => {
  let named
  try {
    named = parseNamedContract(chainId, contract)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', error.message)
  }
  const found = named ?? readParams(state).contract
  if (found !== undefined) return found
  throw queryRefusal('notFound', 'the parameters name no contract, and none is named')
}

const shownWithdrawal = (
  id: number,
  { sender, recipient, amount, denom, height }: StoredWithdrawal,
): MessageInitShape<typeof bridge.WithdrawalSchema> => ({
  id,
  sender: encodeBech32(sender),
  recipient: bytesToHex(recipient),
  amount: amount.toString(),
  denom,
  height: BigInt(height),
})

/** The signatures as the contract takes them. */
const shownSignatures = (
  { members }: StoredSet,
  signatures: MemberSignatures,
): readonly MessageInitShape<typeof bridge.MemberSignatureSchema>[] =>
  members.map((_, place) => {
    const signature = signatures.get(place)
    if (signature === undefined) return {}
    const [r, s] = [bytesToHex(signature.subarray(0, 32)), bytesToHex(signature.subarray(32, 64))]
    return { r, s, v: 27 + (signature[64] ?? 0) }
  })

const shownSet = (set: StoredSet, domain: Uint8Array): MessageInitShape<typeof bridge.SigningSetSchema> => ({
  nonce: BigInt(set.nonce),
  members: set.members.map(({ address, power, validator }) => ({
    address: bytesToHex(address),
    power,
    validator: formatConsensusAddress(validator),
  })),
  threshold: set.threshold,
  height: BigInt(set.height),
  digest: bytesToHex(setDigest(domain, toSigningSet(set))),
})

const shownRoot = (
  { root, size, nonce, signatures }: StoredRoot,
  set: StoredSet,
  domain: Uint8Array,
): MessageInitShape<typeof bridge.SignedRootSchema> => ({
  root: bytesToHex(root),
  size,
  nonce: BigInt(nonce),
  digest: bytesToHex(rootDigest(domain, root)),
  signatures: [...shownSignatures(set, signatures)],
  power: signedPower(set, signatures),
})

/** Throws grpc/5. */
const requireSet = (state: StateReader, contract: BridgeContract, nonce: number): StoredSet => {
  const set = readSet(state, contract, nonce)
  if (set !== undefined) return set
  throw queryRefusal('notFound', nonce === 0 ? 'there is no set of signers yet' : `there is no set ${nonce} of signers`)
}

/** Throws grpc/5. */
const requireWithdrawal = (state: StateReader, contract: BridgeContract, id: number): StoredWithdrawal => {
  const withdrawal = readWithdrawal(state, contract, id)
  if (withdrawal !== undefined) return withdrawal
  const { size } = readWayBack(state, contract)
  throw queryRefusal('notFound', `there is no withdrawal ${id}: the next one has the id ${size}`)
}

const waitsForSignatures = (state: StateReader, contract: BridgeContract): string => {
  const { setNonce } = readWayBack(state, contract)
  if (setNonce === 0) return 'a first set of signers: validators must register keys'
  const { pending } = readRoots(state, contract)
  const set = pending && readSet(state, contract, pending.nonce)
  if (pending === undefined || set === undefined) return 'signatures'
  const power = signedPower(set, pending.signatures)
  return `signatures: those over the root of ${pending.size} withdrawals have the power ${power}, and need more than ${set.threshold}`
}

const isProven = (state: StateReader, contract: BridgeContract, id: number): boolean =>
  (readRoots(state, contract).signed?.size ?? 0) > id

const proofOf = (
  { state, chainId }: QueryContext,
  contract: BridgeContract,
  id: number,
): MessageInitShape<typeof bridgeQuery.QueryWithdrawalProofResponseSchema> => {
  const withdrawal = requireWithdrawal(state, contract, id)
  const { signed } = readRoots(state, contract)
  if (signed === undefined || signed.size <= id) {
    throw queryRefusal('notFound', `withdrawal ${id} waits for ${waitsForSignatures(state, contract)}`)
  }
  const set = requireSet(state, contract, signed.nonce)
  const domain = withdrawalDomainHash({ ...contract, nativeChainId: chainId })
  return {
    withdrawal: shownWithdrawal(id, withdrawal),
    leaf: bytesToHex(withdrawalLeaf(domain, { id, ...withdrawal })),
    proof: treeProof(id, signed.size, nodesOf(state, contract)).map(bytesToHex),
    root: shownRoot(signed, set, domain),
    set: shownSet(set, domain),
    chainId: contract.chainId,
    contract: bytesToHex(contract.address),
  }
}

const signaturesOf = (
  { state, chainId }: QueryContext,
  contract: BridgeContract,
): MessageInitShape<typeof bridgeQuery.QuerySignaturesResponseSchema> => {
  const { setNonce } = readWayBack(state, contract)
  const domain = withdrawalDomainHash({ ...contract, nativeChainId: chainId })
  const { pending, signed } = readRoots(state, contract)
  const shown = (root: StoredRoot) => shownRoot(root, requireSet(state, contract, root.nonce), domain)
  return {
    ...(pending && { pending: shown(pending) }),
    ...(signed && { signed: shown(signed) }),
    threshold: readSet(state, contract, setNonce)?.threshold ?? 0n,
  }
}

const setOf = (
  { state, chainId }: QueryContext,
  contract: BridgeContract,
  nonce: bigint,
): MessageInitShape<typeof bridgeQuery.QuerySigningSetResponseSchema> => {
  if (nonce >= 2n ** 32n) throw queryRefusal('invalidArgument', 'a nonce is below 2^32')
  const { setNonce } = readWayBack(state, contract)
  const set = requireSet(state, contract, nonce === 0n ? setNonce : Number(nonce))
  const before = readSet(state, contract, set.nonce - 1)
  const domain = withdrawalDomainHash({ ...contract, nativeChainId: chainId })
  return {
    set: shownSet(set, domain),
    signatures: before === undefined ? [] : [...shownSignatures(before, set.signatures)],
    power: before === undefined ? 0n : signedPower(before, set.signatures),
    signed: before === undefined || isSigned(before, set.signatures),
  }
}

const wayBackOf = (
  state: StateReader,
  contract: BridgeContract,
): MessageInitShape<typeof bridgeQuery.QueryWayBackResponseSchema> => {
  const wayBack = readWayBack(state, contract)
  const { setNonce } = wayBack
  const next = setNonce === 0 ? undefined : readSet(state, contract, setNonce + 1)
  return {
    withdrawals: wayBack.size,
    held: wayBack.held.toString(),
    day: wayBack.day,
    withdrawnOnDay: wayBack.dayAmount.toString(),
    setNonce: BigInt(setNonce),
    nextSetNonce: BigInt(next?.nonce ?? 0),
    burned: readBurned(state, readParams(state).denom).toString(),
  }
}

const idOfKey = (key: Uint8Array | undefined): number => {
  if (key === undefined) return 0
  if (key.length === 4) return readUint32(key)
  throw queryRefusal('invalidArgument', 'invalid pagination key')
}

const validatorOfKey = (key: Uint8Array | undefined): Uint8Array | undefined => {
  if (key === undefined || key.length === 20) return key
  throw queryRefusal('invalidArgument', 'invalid pagination key')
}

const pagedQueries: readonly QueryHandler[] = [
  handleQuery(
    method.withdrawals,
    ({ state }, request) => {
      const contract = contractOf(state, request)
      const { items, pagination } = takePage(
        request.pagination,
        (start) => listWithdrawals(state, contract, idOfKey(start)),
        ([id]) => uint32ToBytes(id),
      )
      return { withdrawals: items.map(([id, withdrawal]) => shownWithdrawal(id, withdrawal)), pagination }
    },
    { isHeavy: true },
  ),
  handleQuery(
    method.bridgeKeys,
    ({ state }, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => listBridgeKeys(state, validatorOfKey(start)),
        ([validator]) => validator,
      )
      const keys = items.map(([validator, address]) => ({
        validator: formatConsensusAddress(validator),
        address: bytesToHex(address),
      }))
      return { keys, pagination }
    },
    { isHeavy: true },
  ),
]

export const wayBackQueries: readonly QueryHandler[] = [
  handleQuery(method.wayBack, ({ state }, request) => wayBackOf(state, contractOf(state, request))),
  handleQuery(method.withdrawal, ({ state }, request) => {
    const contract = contractOf(state, request)
    const { id } = request
    const withdrawal = shownWithdrawal(id, requireWithdrawal(state, contract, id))
    const signed = isProven(state, contract, id)
    return { withdrawal, signed, waitsFor: signed ? 'its release' : waitsForSignatures(state, contract) }
  }),
  handleQuery(method.withdrawalProof, (context, request) =>
    proofOf(context, contractOf(context.state, request), request.id),
  ),
  handleQuery(method.signatures, (context, request) => signaturesOf(context, contractOf(context.state, request))),
  handleQuery(method.signingSet, (context, request) =>
    setOf(context, contractOf(context.state, request), request.nonce),
  ),
  ...pagedQueries,
]
