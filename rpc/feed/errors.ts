/** Why a feed of blocks cannot go on. What the application refuses, such as a pruned block, comes as it said it. */
import { CodedError } from '../../core/errors.ts'

/** Codespace `feed`: stable codes, never reused. */
export const FEED_CODES = {
  /** The block does not follow the one at the cursor: the node is of another chain, or its chain began anew. */
  otherChain: 1,
  /** A page that is not what was asked for. */
  page: 2,
  /** A cursor that cannot be read. */
  cursor: 3,
} as const

export const feedError = (code: keyof typeof FEED_CODES, message: string): CodedError =>
  new CodedError('feed', FEED_CODES[code], message)
