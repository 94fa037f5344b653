/**
 * The least contract that logs `Bridge(uint256 indexed id, uint256 amount, address from, bytes accAddress, bytes data)`: the first word of
 * a call is the id, what follows is the data of the log. Whoever calls says what it holds, so that tests can log anything.
 */
import { encodeAbiParameters, type Hex, parseAbiItem, toEventSelector, toHex } from 'viem'

const EVENT = parseAbiItem(
  'event Bridge(uint256 indexed id, uint256 amount, address from, bytes accAddress, bytes data)',
)
const WORD = 64

/** Copies what follows the first word to memory, and logs it with the topic and that word. */
const RUNTIME = `602036038060206000376000357f${toEventSelector(EVENT).slice(2)}826000a200`
const LENGTH = (RUNTIME.length / 2).toString(16).padStart(2, '0')

/** Init code: returns the code behind its own eleven bytes. */
export const BRIDGE_LOG_BYTECODE: Hex = `0x60${LENGTH}80600b6000396000f3${RUNTIME}`

export interface LoggedDeposit {
  readonly id: number
  readonly amount: bigint
  readonly from: Hex
  readonly accAddress: Hex
  readonly data: Hex
}

export const bridgeLogCall = ({ id, amount, from, accAddress, data }: LoggedDeposit): Hex => {
  const parameters = [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
  const encoded = encodeAbiParameters(parameters, [amount, from, accAddress, data])
  return `0x${toHex(id, { size: WORD / 2 }).slice(2)}${encoded.slice(2)}`
}
