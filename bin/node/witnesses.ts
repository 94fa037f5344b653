/** The witnesses of a node: figures, traces, and the log at its most talkative. */
import type { NodeWitness } from './runtime/node-witness.ts'
import { bytesToHex } from '../../core/hex.ts'
import { CodedError } from '../../core/errors.ts'
import type { PartLog } from './runtime/log.ts'

/** Creates a witness that writes at the level debug: `consensus` has a line a block, `pool` and `orders` one a transaction. */
const createLogWitness = (log: PartLog): NodeWitness => {
  const consensus = log.of('consensus')
  const pools = { transactions: log.of('pool'), orders: log.of('orders') }
  return {
    arrived: (pool, origin) => (result) => {
      const own = pools[pool]
      if (!own.isDebug) return
      if (!(result instanceof CodedError)) return own.debug('admitted', { origin, hash: bytesToHex(result) })
      own.debug('refused', { origin, code: `${result.codespace}/${result.code}`, reason: result.message })
    },
    judged: () => undefined,
    committed: ({ record: { header }, candidate }) => {
      if (!consensus.isDebug) return
      const { content, commitment } = candidate
      consensus.debug('block committed', {
        height: header.number,
        transactions: content.transactions.length,
        gasUsed: header.gasUsed,
        baseFeePerGas: header.baseFeePerGas,
        stateRoot: bytesToHex(commitment.stateRoot),
      })
    },
  }
}

/** Tells each of them; undefined where nobody wants to be told. */
export const joinWitnesses = (log: PartLog, others: readonly NodeWitness[]): NodeWitness | undefined => {
  const isTold = (['consensus', 'pool', 'orders'] as const).some((part) => log.of(part).isDebug)
  const witnesses = isTold ? [createLogWitness(log), ...others] : others
  const [first, second] = witnesses
  if (first === undefined || second === undefined) return first
  return {
    arrived: (pool, origin) => {
      const ends = witnesses.map((witness) => witness.arrived(pool, origin))
      return (result) => {
        for (const end of ends) end(result)
      }
    },
    judged: (isAccepted) => {
      for (const witness of witnesses) witness.judged(isAccepted)
    },
    committed: (block, families) => {
      for (const witness of witnesses) witness.committed(block, families)
    },
  }
}
