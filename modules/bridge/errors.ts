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
    text: 'withdrawals over the bridge are closed',
    cause: 'The parameter withdraw_limit is 0, as it is until governance sets it.',
    action: 'Nothing was burned. Wait until governance opens the way back.',
  },
  denomination: {
    code: 9,
    text: 'the denomination ... has a supply that the bridge did not mint',
    cause: 'Coins of a bridged denomination stand for deposits, and others of that name are there already.',
    action: 'Choose another denomination.',
  },
  paused: {
    code: 10,
    text: 'the bridge is paused',
    cause: 'Governance has paused it.',
    action: 'Nothing was burned. Try again when the pause is over.',
  },
  withdrawal: {
    code: 11,
    text: 'the bridge withdraws ..., and not ...',
    cause: 'The amount, the denomination or the recipient of the withdrawal is no such value.',
    action: 'Withdraw the denomination of the parameters, above zero, to an address of 0x and 40 hexadecimal digits.',
  },
  dayLimit: {
    code: 12,
    text: '... of the limit of this day (UTC) are left',
    cause: 'What was withdrawn on this day and the amount together pass withdraw_limit.',
    action: 'Withdraw less, or tomorrow. What is above the whole limit must be withdrawn in parts.',
  },
  held: {
    code: 13,
    text: 'the contract holds ... for withdrawals',
    cause: 'More is to be withdrawn than deposits of this contract, or of this denomination, have brought.',
    action: 'Withdraw less.',
  },
  blockLimit: {
    code: 14,
    text: 'this block has as many withdrawals as it may have',
    cause: 'A block has at most max_withdrawals_per_block of them.',
    action: 'Send the transaction again.',
  },
  full: {
    code: 15,
    text: 'the contract has as many withdrawals as its tree has places',
    cause: 'There were 2^32 - 1 withdrawals.',
    action: 'Governance must name another contract.',
  },
  recipient: {
    code: 16,
    text: 'the contract of the bridge takes no coins by itself',
    cause: 'The recipient is the contract that would release the coins.',
    action: 'Name the account that shall have them.',
  },
  key: {
    code: 17,
    text: 'the signature is not that of the key over the chain id and the operator',
    cause: 'The message that registers a key of the bridge does not show that the operator holds it.',
    action: 'Make the message with "chain tx bridge set-key" in the home that has the key.',
  },
  noValidator: {
    code: 18,
    text: 'the sender operates no validator',
    cause: 'A key of the bridge belongs to a validator, and its operator registers it.',
    action: 'Send the message from the account of the operator.',
  },
  keyTaken: {
    code: 19,
    text: 'another validator has this key',
    cause: 'Each validator signs with a key of its own.',
    action: 'Make another key with "chain bridge key --new".',
  },
  signature: {
    code: 20,
    text: 'nothing waits for this signature',
    cause:
      'The digest is neither that of the pending root nor that of the next set, or no member signed it who has not signed before.',
    action: 'Run "chain tx bridge sign" with a node that is not behind, in the home that has the key.',
  },
  tooLittle: {
    code: 21,
    text: 'a withdrawal is at least ...',
    cause: 'The amount is below min_withdrawal.',
    action: 'Withdraw more at once.',
  },
})

export const bridgeError = (kind: keyof typeof BRIDGE_ERRORS.codes, message?: string): CodedError => {
  const { code, text } = BRIDGE_ERRORS.entries[kind]
  return new CodedError('bridge', code, message ?? text)
}
