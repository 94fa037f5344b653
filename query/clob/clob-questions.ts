/** Questions of streams about the order book: answered from the live book and the ring of the last blocks. */
import { queryFailed } from '../../app/errors.ts'
import type { ClobStamp, Questions } from '../../app/ports.ts'
import { jsonText } from '../question-tools.ts'
import { type ClobSource, clobDepth, requireMarket, stampView } from './depth.ts'
import { updatesView } from './updates-view.ts'

export class ClobQuestions {
  readonly #source: ClobSource

  constructor(source: ClobSource) {
    this.#source = source
  }

  /** Throws grpc/5. */
  depth({ market, levels }: Questions['clobDepth']): string {
    return jsonText(clobDepth(this.#source, market, levels))
  }

  /** Throws grpc/5, and query/1 for a block that the ring does not know. */
  stamp({ market, height }: Questions['clobStamp']): string {
    requireMarket(this.#source, market)
    const { updates } = this.#source
    const stamp = updates.stampAt(market, height)
    if (stamp === undefined) throw this.#unknown(height)
    return jsonText({ height, timeMs: updates.at(height)?.timeMs ?? 0, ...stampView(stamp) } satisfies ClobStamp)
  }

  /** Throws query/1 for a block that the ring does not know. */
  updates({ height }: Questions['clobUpdates']): string {
    const updates = this.#source.updates.at(height)
    if (updates === undefined) throw this.#unknown(height)
    return jsonText(updatesView(updates))
  }

  #unknown(height: number): Error {
    return queryFailed(`what block ${height} changed of the order book is not known here any more, or not yet`)
  }
}
