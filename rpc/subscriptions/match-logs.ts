/** Which logs of a block a subscription wants, as geth's filterLogs decides it. */
import type { LogCriteria } from '../../app/ports.ts'

/** The members of a log in JSON that criteria look at. */
export interface LogView {
  readonly address: string
  readonly topics: readonly string[]
}

export const isInRange = (criteria: LogCriteria, height: number): boolean => {
  const { fromBlock, toBlock } = criteria
  if (fromBlock !== undefined && 'number' in fromBlock && height < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || height <= toBlock.number
}

export const matches = (log: LogView, criteria: LogCriteria): boolean => {
  const { addresses, topics } = criteria
  if (addresses.length > 0 && !(addresses as readonly string[]).includes(log.address)) return false
  if (topics.length > log.topics.length) return false
  return topics.every((choices, index) => {
    const topic = log.topics[index]
    return choices.length === 0 || (topic !== undefined && (choices as readonly string[]).includes(topic))
  })
}
