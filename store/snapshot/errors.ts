/** What can be wrong with a snapshot. All of it comes from outside: none of it may stop the node. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const SNAPSHOT_ERRORS = errorTable(
  'snapshot',
  'Snapshots that cannot be taken, offered or restored. Seen in the log of a node that joins by state sync, and in ' +
    '`chain snapshot`.',
  {
    metadata: {
      code: 1,
      text: 'the metadata of the snapshot is damaged: ... | the metadata does not have its hash | ...',
      cause: 'The metadata does not parse, passes a limit, or belongs to another snapshot.',
      action: 'Nothing in state sync: another peer is asked. For files, take the snapshot again.',
    },
    chunkHash: {
      code: 2,
      text: 'chunk ... does not have its hash | ... is damaged: ...',
      cause: 'A chunk is not the one that the metadata names.',
      action: 'Nothing in state sync: another peer is asked. For files, remove the snapshot, and look at the disk.',
    },
    content: {
      code: 3,
      text: 'a chunk of the snapshot is damaged: ... | the snapshot holds what is no state: ...',
      cause: 'The content of a chunk does not parse, is out of order, or is not state.',
      action: 'Nothing in state sync: another snapshot is tried. For files, take another snapshot.',
    },
    root: {
      code: 4,
      text: 'the state of the snapshot does not have the state root of its header | the snapshot is not complete',
      cause: 'Every part is there, and together they are not the state of the header.',
      action: 'Take a snapshot from another node.',
    },
    foreign: {
      code: 5,
      text: 'the snapshot is of the chain ..., not of this ...',
      cause: 'The snapshot belongs to another chain.',
      action: 'Check peers and genesis file.',
    },
    tooLarge: {
      code: 6,
      text: 'a snapshot of ... chunks is too large for the network | an entry of ... bytes does not fit into a snapshot',
      cause: "This chain's own state does not fit into the format.",
      action: 'Join from an archive (`chain snapshot export`), and report it.',
    },
    untrusted: {
      code: 7,
      text: 'the snapshot is not of the trusted block: ...',
      cause: 'The snapshot says that it is of this chain, and does not match the trusted app hash.',
      action: 'Check the trusted height and hash; otherwise take a snapshot from another node.',
    },
    noRoom: {
      code: 8,
      text: 'it needs more than the disk has: ... bytes are free',
      cause: 'The restored state would fill the disk.',
      action: 'Free some space, or use a larger disk.',
    },
  },
)

export const SNAPSHOT_CODES = SNAPSHOT_ERRORS.codes

export const snapshotError = (code: keyof typeof SNAPSHOT_CODES, message: string): CodedError =>
  new CodedError('snapshot', SNAPSHOT_CODES[code], message)
