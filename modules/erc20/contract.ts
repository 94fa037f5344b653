/** What the converter asks of a contract, and how it takes the answers: of hostile ones, too. Nothing of them is believed but numbers. */
import type { Address } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes, padLeft } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { ContractCalls } from '../contracts.ts'
import type { MessageContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { erc20Error } from './errors.ts'
import { ERC20_ADDRESS } from './keys.ts'
import type { Erc20Params } from './params.ts'
import { readDecimals, readText } from './metadata.ts'

const WORD = 32

const SELECTORS = {
  balanceOf: hexToBytes('0x70a08231'),
  transfer: hexToBytes('0xa9059cbb'),
  transferFrom: hexToBytes('0x23b872dd'),
  name: hexToBytes('0x06fdde03'),
  symbol: hexToBytes('0x95d89b41'),
  decimals: hexToBytes('0x313ce567'),
} as const

const encode = (method: keyof typeof SELECTORS, ...words: readonly (Address | bigint)[]): Uint8Array =>
  concatBytes(
    SELECTORS[method],
    ...words.map((word) => padLeft(typeof word === 'bigint' ? bigintToBytes(word) : word, WORD)),
  )

/** Throws erc20/9. */
export const requireContracts = ({ contracts }: MessageContext): ContractCalls => {
  if (contracts === undefined) throw erc20Error('noContracts', 'contracts cannot be called here')
  return contracts
}

export interface TokenMetadata {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** One contract, asked for one message. */
export class TokenContract {
  readonly #contracts: ContractCalls
  readonly #token: Address
  readonly #origin: Address
  readonly #params: Erc20Params

  /** `origin` is whose message it is. */
  constructor(contracts: ContractCalls, token: Address, origin: Address, params: Erc20Params) {
    this.#contracts = contracts
    this.#token = token
    this.#origin = origin
    this.#params = params
  }

  /** What it says that the escrow holds. Throws erc20/3 and sdk/11. */
  measure(): bigint {
    const answer = this.#look(encode('balanceOf', ERC20_ADDRESS))
    if (answer !== undefined && answer.length >= WORD) return bytesToBigint(answer.subarray(0, WORD))
    throw erc20Error('noToken', `${this.#text} is no token: it does not answer balanceOf`)
  }

  /** What it says of itself, in bounds; contracts without these methods are tokens, too. Throws sdk/11. */
  describe(): Partial<TokenMetadata> {
    const [name, symbol, decimals] = (['name', 'symbol', 'decimals'] as const).map((method) =>
      this.#look(encode(method)),
    )
    return { ...readText('name', name), ...readText('symbol', symbol), ...readDecimals(decimals) }
  }

  /** Takes tokens into the escrow: by the owner himself, or by the precompile that he has approved. Throws erc20/6. */
  take(owner: Address, amount: bigint): void {
    const { spender } = this.#contracts
    if (spender === undefined) this.#move(owner, encode('transfer', ERC20_ADDRESS, amount), amount)
    else this.#move(spender, encode('transferFrom', owner, ERC20_ADDRESS, amount), amount)
  }

  /** Out of the escrow. Throws erc20/6. */
  give(receiver: Address, amount: bigint): void {
    this.#move(ERC20_ADDRESS, encode('transfer', receiver, amount), amount)
  }

  get #text(): string {
    return bytesToHex(this.#token)
  }

  /**
   * Undefined where its code fails. Throws sdk/11 where that may be for want of gas: whoever registers a token must not choose
   * which of its methods answer.
   */
  #look(input: Uint8Array): Uint8Array | undefined {
    const gas = this.#params.viewGas
    const call = { from: ERC20_ADDRESS, to: this.#token, origin: this.#origin, input, gas }
    const { isSuccess, output, isGasShort } = this.#contracts.call({ ...call, isStatic: true })
    if (isSuccess) return output
    if (isGasShort) throw sdkError('outOfGas', `out of gas in location: view of a contract, which may use ${gas}`)
    return undefined
  }

  /** Judges the answer as SafeERC20 does: nothing returned is a success, and everything but true is none. */
  #move(from: Address, input: Uint8Array, amount: bigint): void {
    const call = { from, to: this.#token, origin: this.#origin, input, gas: this.#params.transferGas }
    const { isSuccess, output } = this.#contracts.call({ ...call, isStatic: false })
    const fail = (why: string) => erc20Error('transferFailed', `the token refused to move ${amount}: ${why}`)
    if (!isSuccess) throw fail('its code failed')
    if (output.length === 0) return
    if (output.length < WORD || bytesToBigint(output.subarray(0, WORD)) !== 1n) throw fail('it did not return true')
  }
}
