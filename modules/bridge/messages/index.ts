/** Messages of governance, of those who withdraw, and of operators of validators. */
import { utf8ToBytes } from '../../../core/bytes.ts'
import { bridgeTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage, handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { BridgeDependencies } from '../deps.ts'
import { bridgeError } from '../errors.ts'
import { changeParams, completeEvent, rejectEvent } from '../govern.ts'
import { readParams, writeParams } from '../keeper/index.ts'
import { MAX_REASON_BYTES } from '../record.ts'
import { registerKey } from '../register-key.ts'
import { submitSignature } from '../sign.ts'
import { parseDeposit, parseKey, parseParams, parseSignature, parseWithdrawal } from '../wire.ts'
import { withdraw } from '../withdraw.ts'

const { method } = bridgeTx.Msg

export const bridgeMessages = (dependencies: BridgeDependencies): readonly MessageHandler[] => [
  handleParsed(method.updateParams, {
    parse: ({ authority, params }) => {
      checkAuthority(authority)
      if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
      return parseParams(params)
    },
    execute: (context, params) => {
      changeParams(context, params, dependencies)
      return {}
    },
  }),
  handleMessage(method.setPaused, {
    checkStateless: ({ authority }) => checkAuthority(authority),
    execute: ({ state }, { paused }) => {
      writeParams(state, { ...readParams(state), isPaused: paused })
      return {}
    },
  }),
  handleParsed(method.completeEvent, {
    parse: ({ authority, deposit }) => {
      checkAuthority(authority)
      if (deposit === undefined) throw sdkError('invalidRequest', 'the deposit is missing')
      return parseDeposit(deposit)
    },
    execute: (context, event) => {
      completeEvent(context, event)
      return {}
    },
  }),
  handleMessage(method.rejectEvent, {
    checkStateless: ({ authority, reason }) => {
      checkAuthority(authority)
      if (reason === '' || utf8ToBytes(reason).length > MAX_REASON_BYTES) throw bridgeError('reason')
    },
    execute: (context, { id, reason }) => {
      rejectEvent(context, id, reason)
      return {}
    },
  }),
  handleParsed(method.withdraw, {
    parse: parseWithdrawal,
    execute: (context, request) => ({ id: withdraw(context, request, dependencies) }),
  }),
  handleParsed(method.setBridgeKey, {
    parse: parseKey,
    execute: (context, request) => {
      registerKey(context, request, dependencies)
      return {}
    },
  }),
  handleParsed(method.submitSignature, {
    parse: parseSignature,
    execute: (context, submitted) => {
      submitSignature(context, submitted)
      return {}
    },
  }),
]
