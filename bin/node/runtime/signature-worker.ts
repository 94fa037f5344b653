/** The thread that checks signatures: bytes of tasks in, bytes of answers out, in order. */
import { parentPort } from 'node:worker_threads'
import { runSignatureTask } from '../../../core/signature.ts'
import { decodeTasks, encodeAnswers } from './signature-records.ts'

parentPort?.on('message', (message: Uint8Array | 'stop') => {
  if (message === 'stop') {
    parentPort?.close()
    return
  }
  const answers = encodeAnswers(decodeTasks(message).map(runSignatureTask))
  parentPort?.postMessage(answers, [answers.buffer])
})
