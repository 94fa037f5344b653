/** `chain tx staking` and `chain tx slashing` */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import * as z from 'zod'
import { plainBytes } from '../../../../core/bytes.ts'
import { parseDecimal } from '../../../../core/decimal.ts'
import { ed25519, slashingTx, stakingTx } from '../../../../proto/index.ts'
import { cliError, errorText } from '../../../errors.ts'
import { readValidatorPublicKey } from '../../../node/genesis/validator-keys.ts'
import { parseCoin } from '../../client/coins.ts'
import { type Flags, textOf } from '../../client/flags.ts'
import { parseJson, readJson } from '../../input.ts'
import { pack } from '../tx-document.ts'
import { argument, type MessageContext, readId, type TxCommand } from './tx-command.ts'

/** The SDK's word for a member that stays as it is. */
const DO_NOT_MODIFY = '[do-not-modify]'

const ed25519Key = z.object({ '@type': z.literal('/cosmos.crypto.ed25519.PubKey'), key: z.base64() })

/** The SDK's file for create-validator. */
const validatorFile = z.object({
  pubkey: ed25519Key.optional(),
  amount: z.string().optional(),
  moniker: z.string().optional(),
  identity: z.string().optional(),
  website: z.string().optional(),
  security: z.string().optional(),
  details: z.string().optional(),
  'commission-rate': z.string().optional(),
  'commission-max-rate': z.string().optional(),
  'commission-max-change-rate': z.string().optional(),
  'min-self-delegation': z.string().optional(),
})
type ValidatorFile = z.infer<typeof validatorFile>

const parse = <Value>(schema: z.ZodType<Value>, value: unknown, what: string): Value => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw cliError('usage', `${what}:\n${z.prettifyError(parsed.error)}`)
}

const decimal = (text: string, what: string): string => {
  try {
    return parseDecimal(text).toString()
  } catch (error) {
    throw cliError('usage', `${what}: ${errorText(error)}`)
  }
}

/** The key that signs votes: said, or that of the home. */
const consensusKey = (file: ValidatorFile, flags: Flags, context: MessageContext) => {
  const text = textOf(flags, 'pubkey')
  const given = text === undefined ? file.pubkey : parse(ed25519Key, parseJson(text, '--pubkey'), '--pubkey')
  const key = plainBytes(Buffer.from(given?.key ?? readValidatorPublicKey(context.home.validatorKey), 'base64'))
  return create(AnySchema, pack(ed25519.PubKeySchema, { key }))
}

/** What the SDK's own command takes where nothing is said. */
const COMMISSION = { rate: '0.1', maxRate: '0.2', maxChangeRate: '0.01' } as const

export const createValidatorMessage = (context: MessageContext, args: readonly string[], flags: Flags) => {
  const [path] = args
  const file = path === undefined ? {} : parse(validatorFile, readJson(path), path)
  const say = (flag: string, member: string | undefined, byDefault = ''): string =>
    textOf(flags, flag) ?? member ?? byDefault
  const needed = (flag: 'moniker' | 'amount'): string => {
    const value = say(flag, file[flag])
    if (value === '') throw cliError('usage', `say --${flag}, or name a file with it`)
    return value
  }
  const rate = (
    flag: string,
    member: 'commission-rate' | 'commission-max-rate' | 'commission-max-change-rate',
    byDefault: string,
  ) => decimal(say(flag, file[member], byDefault), `--${member}`)
  return pack(stakingTx.MsgCreateValidatorSchema, {
    description: {
      moniker: needed('moniker'),
      identity: say('identity', file.identity),
      website: say('website', file.website),
      securityContact: say('securityContact', file.security),
      details: say('details', file.details),
    },
    commission: {
      rate: rate('commissionRate', 'commission-rate', COMMISSION.rate),
      maxRate: rate('commissionMaxRate', 'commission-max-rate', COMMISSION.maxRate),
      maxChangeRate: rate('commissionMaxChangeRate', 'commission-max-change-rate', COMMISSION.maxChangeRate),
    },
    minSelfDelegation: say('minSelfDelegation', file['min-self-delegation'], '1'),
    validatorAddress: context.operator,
    pubkey: consensusKey(file, flags, context),
    value: parseCoin(needed('amount')),
  })
}

const withDescription = (command: Command): Command =>
  command
    .option('--moniker <name>', 'name that everybody sees')
    .option('--identity <text>', 'such as a fingerprint of keybase')
    .option('--website <url>', 'of the operator')
    .option('--security-contact <address>', 'whom to tell of a weakness')
    .option('--details <text>', 'more about the operator')
    .option('--commission-rate <decimal>', 'part of the rewards that the operator keeps')
    .option('--min-self-delegation <anat>', 'what the operator must have delegated itself')

export const createValidator: TxCommand = {
  usage: 'create-validator [file]',
  description: 'become a validator: by flags, or by a JSON file with the same members',
  addOptions: (command) =>
    withDescription(command)
      .option('--amount <coin>', 'what the operator delegates itself, such as 100nat')
      .option('--pubkey <json>', 'ed25519 key that signs votes; that of the home when left out')
      .option('--commission-max-rate <decimal>', 'never to be exceeded; 0.2 when left out')
      .option('--commission-max-change-rate <decimal>', 'the most that a day may change; 0.01 when left out'),
  messages: (context, args, flags) => [createValidatorMessage(context, args, flags)],
}

const editValidator: TxCommand = {
  usage: 'edit-validator',
  description: 'change what a validator says of itself; what is not said stays',
  addOptions: withDescription,
  messages: (context, _, flags) => {
    const keep = (flag: string): string => textOf(flags, flag) ?? DO_NOT_MODIFY
    const rate = textOf(flags, 'commissionRate')
    const message = {
      description: {
        moniker: keep('moniker'),
        identity: keep('identity'),
        website: keep('website'),
        securityContact: keep('securityContact'),
        details: keep('details'),
      },
      validatorAddress: context.operator,
      commissionRate: rate === undefined ? '' : decimal(rate, '--commission-rate'),
      minSelfDelegation: textOf(flags, 'minSelfDelegation') ?? '',
    }
    return [pack(stakingTx.MsgEditValidatorSchema, message)]
  },
}

const delegate: TxCommand = {
  usage: 'delegate <validator> <amount>',
  description: 'delegate coins to a validator',
  messages: (context, args) => [
    pack(stakingTx.MsgDelegateSchema, {
      delegatorAddress: context.from,
      validatorAddress: context.operatorOf(argument(args, 0)),
      amount: parseCoin(argument(args, 1)),
    }),
  ],
}

const unbond: TxCommand = {
  usage: 'unbond <validator> <amount>',
  description: 'take a delegation back, which comes when the unbonding time is over',
  messages: (context, args) => [
    pack(stakingTx.MsgUndelegateSchema, {
      delegatorAddress: context.from,
      validatorAddress: context.operatorOf(argument(args, 0)),
      amount: parseCoin(argument(args, 1)),
    }),
  ],
}

const redelegate: TxCommand = {
  usage: 'redelegate <from-validator> <to-validator> <amount>',
  description: 'move a delegation to another validator',
  messages: (context, args) => [
    pack(stakingTx.MsgBeginRedelegateSchema, {
      delegatorAddress: context.from,
      validatorSrcAddress: context.operatorOf(argument(args, 0)),
      validatorDstAddress: context.operatorOf(argument(args, 1)),
      amount: parseCoin(argument(args, 2)),
    }),
  ],
}

const cancelUnbond: TxCommand = {
  usage: 'cancel-unbond <validator> <amount> <creation-height>',
  description: 'delegate again what is unbonding since a height',
  messages: (context, args) => [
    pack(stakingTx.MsgCancelUnbondingDelegationSchema, {
      delegatorAddress: context.from,
      validatorAddress: context.operatorOf(argument(args, 0)),
      amount: parseCoin(argument(args, 1)),
      creationHeight: readId(argument(args, 2), 'height'),
    }),
  ],
}

const unjail: TxCommand = {
  usage: 'unjail',
  description: 'return a validator that was jailed to its duty',
  messages: ({ operator }) => [pack(slashingTx.MsgUnjailSchema, { validatorAddr: operator })],
}

export const STAKING_COMMANDS: readonly TxCommand[] = [
  createValidator,
  editValidator,
  delegate,
  unbond,
  redelegate,
  cancelUnbond,
]
export const SLASHING_COMMANDS: readonly TxCommand[] = [unjail]
