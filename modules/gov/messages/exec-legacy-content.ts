/** MsgExecLegacyContent: carries a text of v1beta1 in a proposal. A text does nothing. */
import { govTx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { readContent } from '../legacy-content.ts'

export const createExecLegacyContent = (): MessageHandler =>
  handleMessage(govTx.Msg.method.execLegacyContent, {
    checkStateless: ({ authority, content }) => {
      checkAuthority(authority)
      readContent(content)
    },
    execute: () => ({}),
  })
