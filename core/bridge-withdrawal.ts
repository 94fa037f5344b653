/**
 * What validators sign for the way back over the bridge, as `packages/bridge/solidity/NatBridge.sol` reads it: EIP-712 over
 * secp256k1, and one binary tree of all withdrawals that only grows, so that its newest root proves every withdrawal ever made.
 */
import type { BridgeContract } from './bridge-event.ts'
import { bigintToBytes, concatBytes, padLeft, utf8ToBytes } from './bytes.ts'
import { keccak256 } from './hash.ts'

/** The contract on the external chain, and the chain whose withdrawals it releases. */
export interface WithdrawalDomain extends BridgeContract {
  readonly nativeChainId: string
}

export interface Withdrawal {
  /** Place in the tree: counts from 0 without gaps, below 2^32. */
  readonly id: number
  /** 20 bytes, on the external chain. */
  readonly recipient: Uint8Array
  /** The amount in the smallest unit of the contract's token; below 2^256. */
  readonly amount: bigint
}

/** Who signs for the contract. */
export interface SigningSet {
  /** One more than that of the set before, which has signed it. */
  readonly nonce: bigint
  /** The members by ascending address, each once: at most 256. */
  readonly members: readonly { readonly address: Uint8Array; readonly power: bigint }[]
  /** More of the power than this must sign: two thirds of that of all validators, those without a key among them. */
  readonly threshold: bigint
}

const WORD_BYTES = 32
const typeHash = (text: string): Uint8Array => keccak256(utf8ToBytes(text))
const word = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), WORD_BYTES)
const addressWord = (address: Uint8Array): Uint8Array => padLeft(address, WORD_BYTES)

const DOMAIN_TYPE = typeHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)',
)
const ROOT_TYPE = typeHash('WithdrawalsRoot(bytes32 root)')
const SET_TYPE = typeHash('ValidatorSet(uint256 nonce,address[] validators,uint256[] powers,uint256 threshold)')
const WITHDRAWAL_TYPE = typeHash('Withdrawal(uint256 id,address recipient,uint256 amount)')
const NAME = typeHash('NAT bridge')
const VERSION = typeHash('1')
const PREFIX = Uint8Array.of(0x19, 0x01)

/** 32 bytes: the domain separator of EIP-712; its salt is the keccak-256 of the native chain id. */
export const withdrawalDomainHash = ({ chainId, address, nativeChainId }: WithdrawalDomain): Uint8Array =>
  keccak256(DOMAIN_TYPE, NAME, VERSION, word(chainId), addressWord(address), keccak256(utf8ToBytes(nativeChainId)))

/** 32 bytes that a validator signs for the root of all withdrawals. */
export const rootDigest = (domainHash: Uint8Array, root: Uint8Array): Uint8Array =>
  keccak256(PREFIX, domainHash, keccak256(ROOT_TYPE, root))

/** 32 bytes that a validator of the set before signs for the next one. */
export const setDigest = (domainHash: Uint8Array, { nonce, members, threshold }: SigningSet): Uint8Array => {
  const addresses = keccak256(concatBytes(...members.map(({ address }) => addressWord(address))))
  const powers = keccak256(concatBytes(...members.map(({ power }) => word(power))))
  return keccak256(PREFIX, domainHash, keccak256(SET_TYPE, word(nonce), addresses, powers, word(threshold)))
}

/** 32 bytes: the leaf of a withdrawal. It names the contract, so that no other one releases it. */
export const withdrawalLeaf = (domainHash: Uint8Array, { id, recipient, amount }: Withdrawal): Uint8Array => {
  const content = keccak256(WITHDRAWAL_TYPE, word(BigInt(id)), addressWord(recipient), word(amount))
  return keccak256(PREFIX, domainHash, content)
}
