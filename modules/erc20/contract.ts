/** What the converter asks of a contract, and how it takes the answers: of hostile ones, too. Nothing of them is believed but numbers. */
import type { Address } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, concatBytes, padLeft } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { ContractAnswer, ContractCalls } from '../contracts.ts'
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
    const { isSuccess, output, isGasShort } = this.#look(encode('balanceOf', ERC20_ADDRESS))
    if (isSuccess && output.length >= WORD) return bytesToBigint(output.subarray(0, WORD))
    if (!isSuccess && isGasShort) throw this.#outOfGas()
    throw erc20Error('noToken', `${this.#text} is no token: it does not answer balanceOf`)
  }

  /**
   * What it says of itself, in bounds; contracts without these methods are tokens, too. Throws sdk/11 where it is asked with less gas
   * than it may use, whatever it answers then: a wrapper that catches how another token fails has an answer of its own for that.
   */
  describe(): Partial<TokenMetadata> {
    const [name, symbol, decimals] = (['name', 'symbol', 'decimals'] as const).map((method) => {
      const { isSuccess, output, isGasShort } = this.#look(encode(method))
      if (isGasShort) throw this.#outOfGas()
      return isSuccess ? output : undefined
    })
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

  #look(input: Uint8Array): ContractAnswer {
    const gas = this.#params.viewGas
    const call = { from: ERC20_ADDRESS, to: this.#token, origin: this.#origin, input, gas }
    return this.#contracts.call({ ...call, isStatic: true })
  }

  /** Whoever registers a token must not choose by the gas what it says of itself. */
  #outOfGas(): Error {
    return sdkError('outOfGas', `out of gas in location: view of a contract, which may use ${this.#params.viewGas}`)
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
