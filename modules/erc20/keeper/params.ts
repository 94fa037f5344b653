/** Parameters in the state. */
import { bigintToBytes, bytesToBigint } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { ERC20_ADDRESS, PARAMS_KEY } from '../keys.ts'
import { DEFAULT_PARAMS, type Erc20Params } from '../params.ts'

const flag = (value: boolean): Uint8Array => bigintToBytes(value ? 1n : 0n)

export const readParams = (state: StateReader): Erc20Params => {
  const value = state.value(ERC20_ADDRESS, PARAMS_KEY)
  if (value === undefined) return DEFAULT_PARAMS
  const [enabled, registrationOpen, registrationFee, transferGas, viewGas] = decodeRlp(value) as Uint8Array[]
  invariant(viewGas !== undefined, 'parameters of erc20 are damaged')
  const read = (bytes: Uint8Array | undefined): bigint => bytesToBigint(bytes ?? new Uint8Array(0))
  return {
    enabled: read(enabled) === 1n,
    registrationOpen: read(registrationOpen) === 1n,
    registrationFee: read(registrationFee),
    transferGas: read(transferGas),
    viewGas: read(viewGas),
  }
}

const isDefault = (params: Erc20Params): boolean =>
  (Object.keys(DEFAULT_PARAMS) as (keyof Erc20Params)[]).every((name) => params[name] === DEFAULT_PARAMS[name])

/** The defaults take no place in the state. */
export const writeParams = (state: StateWriter, params: Erc20Params): void => {
  const { enabled, registrationOpen, registrationFee, transferGas, viewGas } = params
  const encoded = encodeRlp([
    flag(enabled),
    flag(registrationOpen),
    ...[registrationFee, transferGas, viewGas].map(bigintToBytes),
  ])
  state.setValue(ERC20_ADDRESS, PARAMS_KEY, isDefault(params) ? undefined : encoded)
}
