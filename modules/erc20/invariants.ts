/** What must hold after every block, and can be known without running contracts. */
import { DENOMINATION } from '../../core/amounts.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { Invariant, QueryContext } from '../module.ts'
import { denomOf } from './denom.ts'
import type { Erc20Dependencies } from './deps.ts'
import { isLocked, readTokens, readViews, viewAddress } from './keeper/index.ts'

export const erc20Invariants = ({ ledger }: Pick<Erc20Dependencies, 'ledger'>): readonly Invariant[] => [
  {
    name: 'erc20/owes-no-more-than-it-measured',
    check: ({ state }: QueryContext) => {
      for (const { address, measured } of readTokens(state)) {
        const owed = ledger.supply(state, denomOf(address))
        if (owed > measured) return `${owed} of ${denomOf(address)} are owed, and ${measured} were measured`
      }
      return undefined
    },
  },
  {
    name: 'erc20/not-locked-between-blocks',
    check: ({ state }) => (isLocked(state) ? 'a deposit or a withdrawal never ended' : undefined),
  },
  {
    name: 'erc20/views-are-where-they-belong',
    check: ({ state }) => {
      for (const { address, denom } of readViews(state)) {
        if (denom === DENOMINATION || !equalBytes(address, viewAddress(denom))) return `${denom} has a wrong view`
      }
      return undefined
    },
  },
]
