/** Codespace `bridge`. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const BRIDGE_ERRORS = errorTable('bridge', 'Messages of the bridge: what governance decides, and withdrawals.', {
  params: {
    code: 1,
    text: '... must be ...',
    cause: 'A parameter of the bridge has a value that it cannot have.',
    action: 'Correct the parameter that the message names.',
  },
  deposit: {
    code: 2,
    text: 'deposit: ...',
    cause: 'A field of the deposit that governance completes is no such value.',
    action:
      'Write addresses and hashes in 0x-hexadecimal and the amount in decimal, as the log of the external chain has them.',
  },
  noContract: {
    code: 3,
    text: 'the parameters name no contract',
    cause: 'Nothing is bridged.',
    action: 'Name the contract with MsgUpdateParams first.',
  },
  settled: {
    code: 4,
    text: 'event ... was settled already',
    cause: 'The event had its turn: it was credited or refused, and never is again.',
    action: 'Nothing.',
  },
  notInWindow: {
    code: 5,
    text: 'event ... is beyond ..., the last one that can be decided now',
    cause: 'Events are decided within a window above the first open one, which bounds what the state holds.',
    action: 'Decide the events before it first.',
  },
  otherContent: {
    code: 6,
    text: 'event ... was accepted with another content',
    cause: 'Governance would complete an event with another content than the one that validators accepted.',
    action: 'Complete it with the accepted content, or reject it.',
  },
  reason: {
    code: 7,
    text: 'a reason has 1 to 200 bytes',
    cause: 'The reason for a rejection is missing or too long.',
    action: 'Write a short one.',
  },
  withdraw: {
    code: 8,
    text: 'withdrawals over the bridge are not supported yet',
    cause: 'The bridge credits deposits. The way back is not built.',
    action: 'Nothing was burned. Keep the coins here.',
  },
  denomination: {
    code: 9,
    text: 'the denomination ... has a supply that the bridge did not mint',
    cause: 'Coins of a bridged denomination stand for deposits, and others of that name are there already.',
    action: 'Choose another denomination.',
  },
})

export const bridgeError = (kind: keyof typeof BRIDGE_ERRORS.codes, message?: string): CodedError => {
  const { code, text } = BRIDGE_ERRORS.entries[kind]
  return new CodedError('bridge', code, message ?? text)
}
