/** How large the application's heap may grow before V8 ends the process, which is then started again. */
import { totalmem } from 'node:os'

const MEGABYTE = 1024 * 1024
/** A chain whose state is small needs some 200 MB under full load; one of a genesis file of 150 MB needs 2 GB to begin. */
const LEAST_MB = 1_024
/** The most MB: beyond it a collection of all objects takes longer than a block. */
const MOST_MB = 4_096

/** Memory of the machine, or of the container where that is less; 0 or more than there is when it has no limit. */
const availableBytes = (): number => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())

/** V8's flag: half of the memory, for the database and CometBFT need the rest. None where NODE_OPTIONS has its own. */
export const heapLimitFlags = (bytes = availableBytes(), options = process.env['NODE_OPTIONS'] ?? ''): string[] => {
  if (/--max[-_]old[-_]space[-_]size/.test(options)) return []
  const megabytes = Math.min(Math.max(Math.floor(bytes / MEGABYTE / 2), LEAST_MB), MOST_MB)
  return [`--max-old-space-size=${megabytes}`]
}
