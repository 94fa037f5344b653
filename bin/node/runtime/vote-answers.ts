/**
 * What this node said with its votes of the newest height, on disk: a record of length, height, CometBFT's hash of the block
 * and the extension each. It is synced before the answer is given, so that a node that was killed says the same again.
 */
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { VoteAnswer, VoteAnswers } from '../../../app/environment.ts'
import { concatBytes, plainBytes, readUint32, readUint64, uint32ToBytes, uint64ToBytes } from '../../../core/bytes.ts'

const LENGTH_BYTES = 4
const HEIGHT_BYTES = 8
const HASH_BYTES = 32
const HEAD_BYTES = LENGTH_BYTES + HEIGHT_BYTES + HASH_BYTES
/** No block has height 0: a power failure can leave zeros, which would be answers of it. */
const LEAST_HEIGHT = 1

export interface FileVoteAnswers extends VoteAnswers {
  close(): void
}

const encode = ({ height, hash, extension }: VoteAnswer): Uint8Array =>
  concatBytes(uint32ToBytes(extension.length), uint64ToBytes(height), hash, extension)

/** All are of one height. A torn last record, which a crash can leave, or zeros, was never answered: it ends the list. */
const decode = (bytes: Uint8Array): { readonly answers: readonly VoteAnswer[]; readonly length: number } => {
  const answers: VoteAnswer[] = []
  let at = 0
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + readUint32(bytes, at)
    const height = readUint64(bytes, at + LENGTH_BYTES)
    if (end > bytes.length || !Number.isSafeInteger(height) || height < LEAST_HEIGHT) break
    if (height !== (answers[0]?.height ?? height)) break
    answers.push({
      height,
      hash: bytes.slice(at + LENGTH_BYTES + HEIGHT_BYTES, at + HEAD_BYTES),
      extension: bytes.slice(at + HEAD_BYTES, end),
    })
    at = end
  }
  return { answers, length: at }
}

/** `keep` throws what the system says, and leaves what was kept before of the height. */
export const openVoteAnswers = (path: string): FileVoteAnswers => {
  // Read and write, made where there is none.
  const descriptor = openSync(path, 'a+')
  const { answers, length: valid } = decode(plainBytes(readFileSync(path)))
  ftruncateSync(descriptor, valid)
  let newest = answers[0]?.height ?? 0
  /** The bytes of whole records. */
  let kept = valid
  return {
    load: () => answers.filter(({ height }) => height === newest),
    keep: (answer) => {
      // Nobody asks of another height any more: its block is decided, or was rolled back.
      if (answer.height !== newest) {
        ftruncateSync(descriptor, 0)
        kept = 0
      }
      newest = answer.height
      const record = encode(answer)
      try {
        for (let at = 0; at < record.length; ) at += writeSync(descriptor, record, at)
        fdatasyncSync(descriptor)
      } catch (error) {
        // Half a record would make every later one unreadable.
        ftruncateSync(descriptor, kept)
        throw error
      }
      kept += record.length
    },
    close: () => closeSync(descriptor),
  }
}
