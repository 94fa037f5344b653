/** Why a feed of blocks cannot go on. What the application refuses, such as a pruned block, comes as it said it. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const FEED_ERRORS = errorTable(
  'feed',
  'Why whoever follows committed blocks cannot go on. Seen by `chain feed` and by programs that use the feed.',
  {
    otherChain: {
      code: 1,
      text: 'block ... (...) does not follow block ... of the cursor (...)',
      cause: 'The node is of another chain, or its chain began anew.',
      action: 'Begin with another cursor, or ask a node of the chain that the cursor is of.',
    },
    page: {
      code: 2,
      text: 'a page does not go on in the block ... | block ... came for ... | block ... came with ... of ... transactions',
      cause: 'Node and reader are of different versions.',
      action: 'Run node and reader of the same version.',
    },
    cursor: {
      code: 3,
      text: '... is no cursor of a feed: remove it to begin anew',
      cause: 'The file of the cursor is damaged, or is no cursor.',
      action: 'Give another file, or remove it to begin with the oldest block.',
    },
  },
)
export const FEED_CODES = FEED_ERRORS.codes

export const feedError = (code: keyof typeof FEED_CODES, message: string): CodedError =>
  new CodedError('feed', FEED_CODES[code], message)
