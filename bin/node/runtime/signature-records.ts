/** Signature tasks and their answers as the bytes that pass between two threads. */
import type { SignatureTask } from '../../../core/signature.ts'

const DIGEST_BYTES = 32
const SIGNATURE_BYTES = 64
const KEY_BYTES = 65
/** What it is, the digest, the signature, and the key where one is given. */
const TASK_BYTES = 1 + DIGEST_BYTES + SIGNATURE_BYTES + KEY_BYTES
/** First byte of a task to verify; of one to recover it is the parity, 0 or 1. */
const VERIFY = 2
/** The length of the answer, 0 where the signature does not hold, and the answer. */
const ANSWER_BYTES = 1 + KEY_BYTES

type Bytes = Uint8Array<ArrayBuffer>

export const encodeTasks = (tasks: readonly SignatureTask[]): Bytes => {
  const out = new Uint8Array(tasks.length * TASK_BYTES)
  for (const [index, task] of tasks.entries()) {
    const at = index * TASK_BYTES
    out[at] = task.kind === 'verify' ? VERIFY : task.yParity
    out.set(task.digest, at + 1)
    out.set(task.signature, at + 1 + DIGEST_BYTES)
    if (task.kind === 'verify') out.set(task.publicKey, at + 1 + DIGEST_BYTES + SIGNATURE_BYTES)
  }
  return out
}

/** Views into `bytes`. */
export const decodeTasks = (bytes: Uint8Array): readonly SignatureTask[] =>
  Array.from({ length: bytes.length / TASK_BYTES }, (_, index) => {
    const record = bytes.subarray(index * TASK_BYTES, (index + 1) * TASK_BYTES)
    const digest = record.subarray(1, 1 + DIGEST_BYTES)
    const signature = record.subarray(1 + DIGEST_BYTES, 1 + DIGEST_BYTES + SIGNATURE_BYTES)
    return record[0] === VERIFY
      ? { kind: 'verify', digest, signature, publicKey: record.subarray(-KEY_BYTES) }
      : { kind: 'recover', digest, signature, yParity: record[0] ?? 0 }
  })

export const encodeAnswers = (answers: readonly (Uint8Array | undefined)[]): Bytes => {
  const out = new Uint8Array(answers.length * ANSWER_BYTES)
  for (const [index, answer] of answers.entries()) {
    if (answer === undefined) continue
    out[index * ANSWER_BYTES] = answer.length
    out.set(answer, index * ANSWER_BYTES + 1)
  }
  return out
}

/** Views into `bytes`. */
export const decodeAnswers = (bytes: Uint8Array): readonly (Uint8Array | undefined)[] =>
  Array.from({ length: bytes.length / ANSWER_BYTES }, (_, index) => {
    const at = index * ANSWER_BYTES
    const length = bytes[at] ?? 0
    return length === 0 ? undefined : bytes.subarray(at + 1, at + 1 + length)
  })
