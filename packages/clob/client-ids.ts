/** Names that an owner gives to orders: 1 to 16 bytes. */
import { bytesToHex, type Hex, numberToHex } from 'viem'
import { uint53 } from './actions.ts'

const RANDOM_BYTES = 16
const NUMBER_BYTES = 8

/** One that nobody has used. */
export const randomClientId = (): Hex => bytesToHex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))

/** The client ID of a number below 2^53, in 8 bytes: for those who count their orders. Throws `range`. */
export const clientIdOf = (number: number): Hex => numberToHex(uint53('number', number), { size: NUMBER_BYTES })
