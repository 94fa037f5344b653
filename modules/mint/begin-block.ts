/** x/mint's BeginBlocker: inflation and provisions anew, and one block's part of them to the fee collector. */
import type { BlockContext } from '../module.ts'
import type { MintDependencies } from './deps.ts'
import { minted } from './events.ts'
import { MINT_ADDRESS, readMinter, readParams, writeMinter } from './keeper.ts'
import { blockProvision, type Minter, nextInflation, withinSupply } from './minter.ts'

/**
 * Mints what a block is due. Without inflation, and with none of yesterday's left, nothing is written and nothing
 * emitted.
 */
export const mintProvisions = (context: BlockContext, dependencies: MintDependencies): void => {
  const { state, emit } = context
  const { ledger, feeCollector } = dependencies
  const params = readParams(state)
  const before = readMinter(state)
  if (params.inflationMax === 0n && before.inflation === 0n && before.annualProvisions === 0n) return
  const bondedRatio = dependencies.bondedRatio(state)
  const supply = ledger.supply(state, params.mintDenom)
  const inflation = nextInflation(before.inflation, params, bondedRatio)
  const minter: Minter = { inflation, annualProvisions: inflation * supply }
  if (minter.inflation !== before.inflation || minter.annualProvisions !== before.annualProvisions) {
    writeMinter(state, minter)
  }
  const amount = withinSupply(blockProvision(minter.annualProvisions, params), supply, params)
  if (amount > 0n) {
    const coins = [{ denom: params.mintDenom, amount }]
    ledger.mint(context, MINT_ADDRESS, coins)
    ledger.send(context, MINT_ADDRESS, feeCollector, coins)
  }
  emit(minted(bondedRatio, minter, amount))
}
