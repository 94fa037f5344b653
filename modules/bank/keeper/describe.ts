/** Metadata of denominations that other modules make. */
import { create } from '@bufbuild/protobuf'
import { invariant } from '../../../core/errors.ts'
import { bank } from '../../../proto/index.ts'
import type { StateWriter } from '../../../store/state.ts'
import { metadataFault, removeMetadata, writeMetadata } from './metadata.ts'

export interface DenomDescription {
  readonly base: string
  readonly description: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** The denomination of ten to the power of `decimals`. */
  readonly display: string
}

/** What is said of it is valid: whoever says it has checked it. */
export const describeDenom = (state: StateWriter, { decimals, ...said }: DenomDescription): void => {
  const { base, display } = said
  const units = [{ denom: base, exponent: 0 }, ...(display === base ? [] : [{ denom: display, exponent: decimals }])]
  const metadata = create(bank.MetadataSchema, { ...said, denomUnits: units })
  const fault = metadataFault(metadata)
  invariant(fault === undefined, `a module describes ${base} wrongly: ${fault}`)
  writeMetadata(state, metadata)
}

export const forgetDenom = (state: StateWriter, base: string): void => removeMetadata(state, base)
