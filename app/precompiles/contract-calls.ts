/** Calls of contracts by a message that a precompile runs: frames below that of the precompile. */
import type { Address } from '../../core/address.ts'
import { errorText, InvariantError } from '../../core/errors.ts'
import type { NativeCall } from '../../evm/native-precompiles.ts'
import type { ContractAnswer, ContractCall, ContractCalls } from '../../modules/contracts.ts'
import type { CallGas } from './call-gas.ts'
import { refuseCall } from './errors.ts'
import { SUBCALL_GAS } from './gas.ts'

const WHAT = 'call of a contract'

export class SubcallContracts implements ContractCalls {
  readonly #call: NativeCall
  readonly #gas: CallGas
  #fault: Error | undefined

  constructor(call: NativeCall, gas: CallGas) {
    this.#call = call
    this.#gas = gas
  }

  get spender(): Address {
    return this.#call.precompile
  }

  /** What ends the whole execution: it goes through whatever a module makes of it. */
  get fault(): Error | undefined {
    return this.#fault
  }

  /** EIP-150: all but a 64th of what is left can go into another frame. */
  call({ from, to, input, gas: most, isStatic }: ContractCall): ContractAnswer {
    const { call } = this.#call
    if (call === undefined) throw refuseCall('contracts cannot be called here: another precompile waits for this call')
    this.#gas.consume(SUBCALL_GAS, WHAT)
    const { left } = this.#gas
    const available = left - left / 64n
    const gas = most < available ? most : available
    this.#gas.consume(gas, WHAT)
    try {
      const { gasUsed, output, failure } = call({ from, to, input, gas, isStatic })
      this.#gas.giveBack(gas - gasUsed)
      return { isSuccess: failure === undefined, output, isGasShort: gas < most }
    } catch (error) {
      this.#fault = error instanceof Error ? error : new InvariantError(errorText(error))
      throw this.#fault
    }
  }
}
