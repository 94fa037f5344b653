/** MsgSetSendEnabled: denominations that may or may not be sent, or follow the default again. */
import { bankTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { isDenom } from '../../../core/denom.ts'
import { GAS_PER_ENTRY } from '../gas.ts'
import { writeSendEnabled } from '../keeper/send-enabled.ts'

const check = ({ authority, sendEnabled, useDefaultFor }: bankTx.MsgSetSendEnabled): void => {
  checkAuthority(authority)
  const seen = new Set<string>()
  const invalid = (message: string) => sdkError('invalidRequest', message)
  const quoted = (denom: string): string => JSON.stringify(denom.slice(0, 128))
  for (const { denom } of sendEnabled) {
    if (seen.has(denom)) throw invalid(`duplicate denom entries found for ${quoted(denom)}`)
    seen.add(denom)
    if (!isDenom(denom)) {
      throw invalid(`invalid SendEnabled denom ${quoted(denom)}: invalid denom: ${denom.slice(0, 128)}`)
    }
  }
  for (const denom of useDefaultFor) {
    if (isDenom(denom)) continue
    throw invalid(`invalid UseDefaultFor denom ${quoted(denom)}: invalid denom: ${denom.slice(0, 128)}`)
  }
}

export const SET_SEND_ENABLED: MessageHandler = handleMessage(bankTx.Msg.method.setSendEnabled, {
  checkStateless: check,
  execute: ({ state, consumeGas }, { sendEnabled, useDefaultFor }) => {
    consumeGas(GAS_PER_ENTRY * BigInt(sendEnabled.length + useDefaultFor.length), 'send enabled entries')
    for (const { denom, enabled } of sendEnabled) writeSendEnabled(state, denom, enabled)
    // Last, as in the SDK: who is named in both follows the default.
    for (const denom of useDefaultFor) writeSendEnabled(state, denom, undefined)
    return {}
  },
})
