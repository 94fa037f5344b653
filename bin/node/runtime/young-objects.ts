/**
 * Room for young objects, in V8's flags. Under load the thread that executes blocks makes some 200 MB of them a second,
 * most of which are dead after a millisecond: the more room they have, the fewer are copied because they seemed to stay.
 * Other threads and gateways make few, and get little: V8 keeps the room once it has grown.
 */
import { setFlagsFromString } from 'node:v8'

/** The size in MB of one of the two halves. */
const LARGE_SEMI_SPACE_MB = 32
const SMALL_SEMI_SPACE_MB = 8

export const LARGE_SEMI_SPACE = `--max-semi-space-size=${LARGE_SEMI_SPACE_MB}`
export const SMALL_SEMI_SPACE = `--max-semi-space-size=${SMALL_SEMI_SPACE_MB}`

/** The supervisor's limit of the heap, a flag of V8, would go before what a thread is given by `resourceLimits`. */
const NO_LIMIT_FOR_ALL = '--max-old-space-size=0'

/** The main thread has its limits since it started; those that start from now on take these. */
export const limitOtherThreads = (): void => {
  setFlagsFromString(SMALL_SEMI_SPACE)
  setFlagsFromString(NO_LIMIT_FOR_ALL)
}
