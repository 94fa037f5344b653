/** Native questions where a worker answers them. */
import { bytesToBase64, EMPTY_BYTES } from '../core/bytes.ts'
import { unsupported } from '../app/errors.ts'
import type { Questions } from '../app/ports.ts'
import { historyAnswer, isOfHistory } from './clob-history/services.ts'
import { answerWithReplies } from './heard-consensus.ts'
import { heavyNativeQuery } from './native.ts'
import { TENDERMINT_SERVICE, tendermintService } from './tendermint-service.ts'
import { TX_SERVICE, TxService } from './tx-service.ts'
import type { ChainView } from './chain-view.ts'

const broadcast = (): Promise<never> => Promise.reject(unsupported('a worker has no pool'))
/** A worker is asked for what is long, and that is in a block: what failed without one is answered beside the pool. */
const failedNative = (): undefined => undefined

/** Base64. Throws as {@link answerWithReplies}, and what the services throw. */
export const nativeAnswer = (view: ChainView, question: Questions['native']): string | Promise<string> => {
  const { path, data, replies } = question
  if (isOfHistory(path)) return bytesToBase64(historyAnswer(view, question))
  if (replies === undefined) return heavyNativeQuery(view, question)
  const request = data === '' ? EMPTY_BYTES : Buffer.from(data, 'base64')
  return answerWithReplies(replies, (consensus) => {
    if (path.startsWith(TENDERMINT_SERVICE)) return tendermintService(consensus, view, path, request)
    if (path.startsWith(TX_SERVICE))
      return new TxService({ environment: consensus, broadcast, failedNative }).answer(view, path, request, false)
    throw unsupported(`${path} is not made of what CometBFT says`)
  }).then(bytesToBase64)
}
