/**
 * MsgSubmitEvidence: as on a chain of the SDK without routes, no evidence can be sent in. CometBFT brings it, proven,
 * with the block.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { evidence, evidenceTx } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { EQUIVOCATION_ROUTE, EQUIVOCATION_URL, equivocationFault, hashEquivocation } from '../equivocation.ts'
import { evidenceError } from '../errors.ts'
import { readEvidence } from '../keeper.ts'

const checkSubmitter = (submitter: string): void => {
  if (submitter === '') {
    throw sdkError('invalidAddress', 'invalid submitter address: empty address string is not allowed')
  }
  try {
    parseAccountAddress(submitter)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid submitter address: ${error.message}`)
  }
}

const decode = (bytes: Uint8Array): evidence.Equivocation => {
  try {
    return fromBinary(evidence.EquivocationSchema, bytes)
  } catch (error) {
    throw evidenceError('invalid', `cannot be decoded: ${(error as Error).message}`)
  }
}

const parse = ({ submitter, evidence: any }: evidenceTx.MsgSubmitEvidence): evidence.Equivocation => {
  checkSubmitter(submitter)
  if (any === undefined) throw evidenceError('invalid', 'missing evidence')
  if (any.typeUrl !== EQUIVOCATION_URL) throw evidenceError('noHandler', any.typeUrl.slice(0, 128))
  const equivocation = decode(any.value)
  const fault = equivocationFault(equivocation)
  if (fault !== undefined) throw evidenceError('invalid', `failed basic validation: ${fault}`)
  return equivocation
}

export const submitEvidence: MessageHandler = handleParsed(evidenceTx.Msg.method.submitEvidence, {
  parse,
  execute: ({ state }, equivocation) => {
    const hash = hashEquivocation(equivocation)
    if (readEvidence(state, hash) !== undefined) {
      throw evidenceError('exists', bytesToUnprefixedHex(hash).toUpperCase())
    }
    throw evidenceError('noHandler', EQUIVOCATION_ROUTE)
  },
})
