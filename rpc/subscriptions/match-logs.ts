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

/** One of the criteria as a set: a client may name thousands of choices, and each log is held against all of them. */
const choose = (choices: readonly string[]): ((value: string | undefined) => boolean) => {
  if (choices.length === 0) return () => true
  const set = new Set(choices)
  return (value) => value !== undefined && set.has(value)
}

export const createMatcher = ({ addresses, topics }: LogCriteria): ((log: LogView) => boolean) => {
  const isAddress = choose(addresses)
  const positions = topics.map(choose)
  return (log) =>
    isAddress(log.address) &&
    positions.length <= log.topics.length &&
    positions.every((isTopic, index) => isTopic(log.topics[index]))
}
