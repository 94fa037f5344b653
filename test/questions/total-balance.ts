/** A question in a file of its own: what several accounts hold together. Its record is named in one line of the table. */
import { type Hex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import type { BlockReference } from '../../app/ports.ts'
import { queryFailed } from '../../app/errors.ts'
import { requireHeight } from '../../query/chain-view.ts'
import type { Question } from '../../query/question.ts'

declare module '../../app/ports/questions.ts' {
  interface Questions {
    totalBalance: { addresses: readonly Hex[]; block: BlockReference }
  }
}

const MAX_ADDRESSES = 16

/** Throws query/1 for too many accounts and for a block that is not there, query/8 and /9 for one that was pruned. */
export const totalBalance: Question<'totalBalance'> = {
  reads: 'few',
  answer: (view, { addresses, block }) => {
    if (addresses.length > MAX_ADDRESSES) throw queryFailed(`more than ${MAX_ADDRESSES} addresses`)
    const state = view.stateAt(requireHeight(view, block))
    const balances = addresses.map((address) => state.account(hexToBytes(address))?.balance ?? 0n)
    return quantityToHex(balances.reduce((sum, balance) => sum + balance, 0n))
  },
}
