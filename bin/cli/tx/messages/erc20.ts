/** `chain tx erc20` */
import { erc20Tx } from '../../../../proto/index.ts'
import { pack } from '../tx-document.ts'
import { argument, readId, type TxCommand } from './tx-command.ts'

/**
 * Reads an amount in the smallest unit: what the contract's decimals are is not known offline. The node checks the
 * rest.
 */
const readAmount = (text: string): string => (/^[0-9]{19,78}$/.test(text) ? text : readId(text, 'amount').toString())

const conversion =
  (schema: typeof erc20Tx.MsgDepositSchema | typeof erc20Tx.MsgWithdrawSchema): TxCommand['messages'] =>
  ({ from, account }, args, flags) => {
    const to = flags['to']
    const receiver = typeof to === 'string' ? account(to) : ''
    const fields = { sender: from, token: argument(args, 0), amount: readAmount(argument(args, 1)), receiver }
    return [pack(schema, fields)]
  }

export const ERC20_COMMANDS: readonly TxCommand[] = [
  {
    usage: 'deposit <contract> <amount>',
    description: 'tokens of a contract, in their smallest unit, into coins erc20/0x...',
    addOptions: (command) => command.option('--to <address>', 'who gets the coins; the sender when left out'),
    messages: conversion(erc20Tx.MsgDepositSchema),
  },
  {
    usage: 'withdraw <contract> <amount>',
    description: 'coins erc20/0x... back into tokens',
    addOptions: (command) => command.option('--to <address>', 'who gets the tokens; the sender when left out'),
    messages: conversion(erc20Tx.MsgWithdrawSchema),
  },
  {
    usage: 'register-token <contract>',
    description: 'make a contract known, for a fee',
    messages: ({ from }, args) => [pack(erc20Tx.MsgRegisterTokenSchema, { sender: from, token: argument(args, 0) })],
  },
  {
    usage: 'register-view <denom>',
    description: 'show a native denomination as an ERC-20 contract',
    messages: ({ from }, args) => [pack(erc20Tx.MsgRegisterViewSchema, { sender: from, denom: argument(args, 0) })],
  },
]
