/** Messages of nat.erc20.v1.Msg. */
import type { MessageHandler } from '../../module.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { conversionMessages } from './convert.ts'
import { governanceMessages } from './govern.ts'
import { createRegisterToken } from './register.ts'
import { createRegisterView } from './register-view.ts'

export const erc20Messages = (dependencies: Erc20Dependencies): readonly MessageHandler[] => [
  ...conversionMessages(dependencies),
  createRegisterToken(dependencies),
  createRegisterView(dependencies),
  ...governanceMessages(dependencies),
]
