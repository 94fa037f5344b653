/** Everything that is asked of a chain over its native interfaces, in order. */
import { until } from '../harness.ts'
import type { NativePeer } from './native-peer.ts'
import { queries } from './native-queries.ts'
import { refusals } from './native-refusals.ts'
import { stripEvents, type WireEvent } from './native-strip.ts'
import { last, transactions } from './native-transactions.ts'

interface BlockResults {
  readonly finalize_block_events: readonly WireEvent[] | null
}

/** The proposals of the scenario are decided. */
const untilDecided = async (peer: NativePeer): Promise<void> => {
  await until('the ends of the votes', async () => {
    const { body } = await peer.rest<{ proposals: readonly { status: string }[] }>('/cosmos/gov/v1/proposals')
    return body.proposals.some(({ status }) => status === 'PROPOSAL_STATUS_VOTING_PERIOD') ? undefined : true
  })
}

/** Events that blocks make by themselves: each kind once, as a block shows it first. */
const noteBlockEvents = async (peer: NativePeer): Promise<void> => {
  const { sync_info } = await peer.comet<{ sync_info: { latest_block_height: string } }>('status')
  const kinds = new Map<string, string>()
  for (let height = 1; height <= Number(sync_info.latest_block_height); height++) {
    const { finalize_block_events } = await peer.comet<BlockResults>(`block_results?height=${height}`)
    for (const line of stripEvents(finalize_block_events ?? [])) {
      const kind = line.replaceAll(/=[^ )]*/g, '')
      if (!kinds.has(kind)) kinds.set(kind, line)
    }
    if (height === 5 || height === 6) peer.record(`events of block ${height}`, stripEvents(finalize_block_events ?? []))
  }
  for (const [kind, line] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)))
    peer.record(`event of a block: ${kind}`, line)
}

export const scenario = async (peer: NativePeer): Promise<void> => {
  await transactions(peer)
  await refusals(peer)
  await untilDecided(peer)
  await queries(peer)
  await last(peer)
  await noteBlockEvents(peer)
}
