/** Names of validators: the operator (the account that runs it) and the key that signs its votes. */
import { type Address, toAddress } from '../core/address.ts'
import { BECH32_PREFIX } from '../core/amounts.ts'
import { decodeBech32, encodeBech32 } from '../core/bech32.ts'
import { sha256 } from '../core/hash.ts'

const OPERATOR_PREFIX = `${BECH32_PREFIX}valoper`
const CONSENSUS_PREFIX = `${BECH32_PREFIX}valcons`
const ADDRESS_BYTES = 20

/** `natvaloper1...`: the same bytes as the operator's account. */
export const formatOperator = (operator: Address): string => encodeBech32(operator, OPERATOR_PREFIX)

/** Throws core/2 or core/5: the caller knows which code of the SDK that is. */
export const parseOperator = (text: string): Address => toAddress(decodeBech32(text, OPERATOR_PREFIX))

/** `natvalcons1...` */
export const formatConsensusAddress = (address: Uint8Array): string => encodeBech32(address, CONSENSUS_PREFIX)

/** Throws core/2 or core/5. */
export const parseConsensusAddress = (text: string): Uint8Array => toAddress(decodeBech32(text, CONSENSUS_PREFIX))

/** CometBFT's address of an ed25519 key: the first 20 bytes of its sha256. */
export const consensusAddressOf = (publicKey: Uint8Array): Uint8Array => sha256(publicKey).slice(0, ADDRESS_BYTES)
