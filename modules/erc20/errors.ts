/** The codes of the converter. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const ERC20_ERRORS = errorTable(
  'erc20',
  'Tokens of contracts as denominations, and denominations as contracts.',
  {
    unknownToken: {
      code: 1,
      text: 'the contract ... is not registered | the denomination ... has no view',
      cause: 'Nobody has registered the contract, or the denomination.',
      action: 'Register it by MsgRegisterToken or MsgRegisterView.',
    },
    known: {
      code: 2,
      text: '... is registered already',
      cause: 'The contract or the denomination was registered before.',
      action: 'Use it.',
    },
    noToken: {
      code: 3,
      text: '... is no token: ...',
      cause:
        'There is no contract at the address, it does not answer balanceOf, or it is a contract of the chain itself.',
      action: 'Check the address.',
    },
    switchedOff: {
      code: 4,
      text: '... is switched off',
      cause: 'Governance takes no deposits of the token, or none at all, or no registrations. Withdrawals go on.',
      action: 'Wait until governance switches it on.',
    },
    locked: {
      code: 5,
      text: 'a deposit or a withdrawal is under way',
      cause: 'The token has called back into the converter while its tokens were being moved.',
      action: 'Do not use this token: its code does more than a transfer.',
    },
    transferFailed: {
      code: 6,
      text: 'the token refused to move ...: ...',
      cause:
        'The contract reverted, ran out of its gas, returned false, or returned what is no boolean. Often there is too little of the ' +
        'token, or a contract has not approved the precompile.',
      action: 'Check balance and allowance, then the contract.',
    },
    wrongDifference: {
      code: 7,
      text: 'the escrow of ... changed by ..., not by ...',
      cause: 'The contract says that more, or less, has moved than was asked for.',
      action: 'Withdraw another amount; a token that takes a fee of its sender cannot be withdrawn.',
    },
    insolvent: {
      code: 8,
      text: 'the escrow holds ... of ..., and ... are owed',
      cause: 'The contract has taken tokens out of the escrow, or says so: a negative rebase.',
      action: 'Nobody deposits or withdraws before the escrow holds enough again; anybody can transfer tokens to it.',
    },
    noContracts: {
      code: 9,
      text: 'contracts cannot be called here',
      cause: 'A proposal of governance has a message that calls a contract.',
      action: 'Send the message in a transaction.',
    },
    inUse: {
      code: 10,
      text: '... of ... are owed',
      cause:
        'A token was to be forgotten while coins of it are held, or a genesis has made coins of one that nobody registered.',
      action: 'Switch deposits off, and forget the token when all is withdrawn.',
    },
    notAllowed: {
      code: 11,
      text: 'ERC20: insufficient allowance: ... of ...',
      cause: 'The spender may take less of the owner through the view.',
      action: 'Approve more.',
    },
  },
)

/** `data` for machines is left out: the message names what matters. */
export const erc20Error = (kind: keyof typeof ERC20_ERRORS.codes, message: string): CodedError =>
  new CodedError('erc20', ERC20_ERRORS.codes[kind], message)
