/** A call with all that its execution was: what cosmos.evm.vm.v1.Query/EthCall answers. */
import { checksumAddress } from '../core/address.ts'
import { bytesToHex, quantityToHex } from '../core/hex.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import type { ExecutionResult } from '../evm/engine.ts'
import { answerTooLarge, queryFailed } from '../app/errors.ts'
import type { EvmCallAnswer, Questions } from '../app/ports.ts'
import { cappedGas, prepareScene, runCall } from './calls.ts'
import { toCallMessage } from './message.ts'
import type { ChainView } from './chain-view.ts'

/** Bytes of what a call logged and returned. */
const MAX_ANSWER_BYTES = MAX_STREAM_FRAME_BYTES / 8
/** A log takes so many bytes beside its data. */
const LOG_BYTES = 200

const checkSize = ({ logs, returnData }: ExecutionResult): void => {
  const bytes = logs.reduce((sum, { data }) => sum + LOG_BYTES + data.length, returnData.length)
  if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge(MAX_ANSWER_BYTES)
}

/** Throws query/1 for a call that cannot be executed, and query/7 for too much that it says. */
export const evmCall = async (view: ChainView, question: Questions['evmCall']): Promise<EvmCallAnswer> => {
  const scene = await prepareScene(view, question)
  const gasLimit = cappedGas(view, question.call)
  const outcome = await runCall(view, scene, toCallMessage(question.call, view.parameters.evmChainId, gasLimit))
  if (!outcome.valid) throw queryFailed(`err: ${outcome.error.message} (supplied gas ${gasLimit})`)
  checkSize(outcome.result)
  const { returnData, failure, gasUsed, gasBeforeRefund, logs } = outcome.result
  const { number, timestamp } = scene.environment
  return {
    returnData: bytesToHex(returnData),
    failure: failure?.message ?? null,
    gasUsed: quantityToHex(gasUsed),
    maxUsedGas: quantityToHex(gasBeforeRefund),
    logs: logs.map(({ address, topics, data }) => ({
      address: checksumAddress(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
    })),
    blockNumber: quantityToHex(number),
    blockHash: bytesToHex(view.reader.hashAt(number) ?? new Uint8Array(32)),
    timestamp: quantityToHex(timestamp),
  }
}
