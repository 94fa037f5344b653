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

export interface FileVoteAnswers extends VoteAnswers {
  close(): void
}

const encode = ({ height, hash, extension }: VoteAnswer): Uint8Array =>
  concatBytes(uint32ToBytes(extension.length), uint64ToBytes(height), hash, extension)

/** A torn last record, which a crash can leave, was never answered: it ends the list. */
const decode = (bytes: Uint8Array): { readonly answers: readonly VoteAnswer[]; readonly length: number } => {
  const answers: VoteAnswer[] = []
  let at = 0
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + readUint32(bytes, at)
    if (end > bytes.length) break
    answers.push({
      height: readUint64(bytes, at + LENGTH_BYTES),
      hash: bytes.slice(at + LENGTH_BYTES + HEIGHT_BYTES, at + HEAD_BYTES),
      extension: bytes.slice(at + HEAD_BYTES, end),
    })
    at = end
  }
  return { answers, length: at }
}

/** `keep` throws what the system says. */
export const openVoteAnswers = (path: string): FileVoteAnswers => {
  // Read and write, made where there is none.
  const descriptor = openSync(path, 'a+')
  const { answers, length: valid } = decode(plainBytes(readFileSync(path)))
  ftruncateSync(descriptor, valid)
  let newest = answers.at(-1)?.height ?? 0
  return {
    load: () => answers.filter(({ height }) => height === newest),
    keep: (answer) => {
      // Nobody asks of another height any more: its block is decided, or was rolled back.
      if (answer.height !== newest) ftruncateSync(descriptor, 0)
      newest = answer.height
      const record = encode(answer)
      for (let at = 0; at < record.length; ) at += writeSync(descriptor, record, at)
      fdatasyncSync(descriptor)
    },
    close: () => closeSync(descriptor),
  }
}
