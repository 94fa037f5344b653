/** Events of mint, as x/mint emits them. */
import { type Decimal, formatDecimal } from '../../core/decimal.ts'
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import type { Minter } from './minter.ts'

export const minted = (bondedRatio: Decimal, { inflation, annualProvisions }: Minter, amount: bigint): Event =>
  makeEvent('mint', {
    bonded_ratio: formatDecimal(bondedRatio),
    inflation: formatDecimal(inflation),
    annual_provisions: formatDecimal(annualProvisions),
    amount: amount.toString(),
  })
