/**
 * What calls of precompiles cost beside the gas of the call itself. Reads are priced as the Cosmos SDK prices those of
 * its store (store/types/gas.go, KVGasConfig), so that no query costs the node more than its caller pays.
 */
import { GAS_PER_MESSAGE } from '../native/gas.ts'

/** Converting an address, as in cosmos/evm. */
export const BECH32_GAS = 6_000n

/** A method that reads: flat, and for each byte of input. */
export const QUERY_GAS = 3_000n
export const QUERY_BYTE_GAS = 3n

/** A method that writes. It pays for the native messages that it runs besides. */
export const TRANSACTION_GAS = 2_000n
export const TRANSACTION_BYTE_GAS = 30n

/** Each native message that a method runs, as in a native transaction; what its module charges comes on top. */
export const MESSAGE_GAS = GAS_PER_MESSAGE

/** A frame that a message opens, beside what runs in it: Ethereum's price of a call of an account that is cold. */
export const SUBCALL_GAS = 2_600n

/** Each byte of a proposal's JSON, on top: its messages are built before anything else is known of them. */
export const JSON_BYTE_GAS = 100n

/**
 * The gas of what a query reads: each look-up, each item of a scan, and each byte of keys, values and answers. An item
 * costs more than in the SDK (30): it is decoded, whether it is shown or only counted.
 */
export const READ_GAS = 1_000n
export const ITEM_GAS = 500n
export const READ_BYTE_GAS = 3n
