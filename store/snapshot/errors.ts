/** What can be wrong with a snapshot. All of it comes from outside: none of it may stop the node. */
import { CodedError } from '../../core/errors.ts'

/** Codes of codespace `snapshot`. */
export const SNAPSHOT_CODES = {
  /** Metadata that does not parse, or passes a limit. */
  metadata: 1,
  /** A chunk that is not the one that the metadata names. */
  chunkHash: 2,
  /** A chunk whose content does not parse, is out of order, or is no state. */
  content: 3,
  /** All parts are there, and they are not the state of the header. */
  root: 4,
  /** Of another chain. */
  foreign: 5,
  /** This chain's own state does not fit into the format. */
  tooLarge: 6,
  /** Of this chain, as it says, and not of the block that is trusted. */
  untrusted: 7,
  /** It would fill the disk. */
  noRoom: 8,
} as const

export const snapshotError = (code: keyof typeof SNAPSHOT_CODES, message: string): CodedError =>
  new CodedError('snapshot', SNAPSHOT_CODES[code], message)
