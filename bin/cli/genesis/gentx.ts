/**
 * Validators that join a genesis file by a signed transaction: `gentx` makes it, `collect-gentxs` checks it and writes
 * into the file what it would have done (docs/adr/022).
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { create, fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { accountNumberOf } from '../../../app/native/account-number.ts'
import type { NativeTransaction } from '../../../app/native/decode-transaction.ts'
import type { PackedMessage } from '../../../app/native/public-key.ts'
import { requiredSigners } from '../../../app/native/signers.ts'
import { MAX_SIGNATURES } from '../../../app/native/limits.ts'
import { verifySignatures } from '../../../app/native/verify-signatures.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { parseScaledDecimal } from '../../../core/decimal.ts'
import { invariant } from '../../../core/errors.ts'
import { POWER_REDUCTION } from '../../../modules/stake.ts'
import { ed25519, stakingTx, tx, txSigning } from '../../../proto/index.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError, errorText } from '../../errors.ts'
import { toJson } from '../client/messages-json.ts'
import { type SigningKey, signTransaction } from '../tx/sign.ts'
import { checkTransaction, readTransaction } from '../tx/tx-document.ts'
import type { GenesisDocument } from '../../node/genesis/document.ts'
import { bondValidator } from './edit.ts'

/** The SDK's gas limit; no price is asked before the first block. */
const GAS_LIMIT = 200_000n
const CREATE_VALIDATOR = `/${stakingTx.MsgCreateValidatorSchema.typeName}`
/** Most files of a folder that are read. */
const MAX_FILES = 1_000

export interface GenesisTransaction {
  readonly chainId: string
  /** A MsgCreateValidator. */
  readonly message: PackedMessage
  /** `<node id>@<host>:<port>`, for the others' persistent peers. */
  readonly memo: string
  readonly key: SigningKey
}

/** Signed for the account before its first transaction. */
export const signGenesisTransaction = ({ chainId, message, memo, key }: GenesisTransaction): tx.Tx => {
  const unsigned = create(tx.TxSchema, {
    body: { messages: [create(AnySchema, message)], memo },
    authInfo: { fee: { gasLimit: GAS_LIMIT } },
  })
  const [signer] = requiredSigners(checkTransaction(unsigned))
  invariant(signer !== undefined, 'a validator is created by somebody')
  const data = { chainId, accountNumber: accountNumberOf(signer), sequence: 0n }
  return signTransaction(unsigned, key, txSigning.SignMode.DIRECT, data)
}

export const gentxFolder = (home: Home): string => join(dirname(home.genesis), 'gentx')

/** Returns where it lies. */
export const writeGentx = (transaction: tx.Tx, file: string): string => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(toJson(tx.TxSchema, transaction))}\n`)
  return file
}

const createValidatorOf = ({ messages }: NativeTransaction): stakingTx.MsgCreateValidator => {
  const [packed] = messages
  if (messages.length !== 1 || packed?.typeUrl !== CREATE_VALIDATOR) {
    throw cliError('genesis', `exactly one ${CREATE_VALIDATOR} is expected`)
  }
  return fromBinary(stakingTx.MsgCreateValidatorSchema, packed.value)
}

/** What the transaction would have done: the operator's coins become the stake of a bonded validator. */
const applyGentx = (document: GenesisDocument, transaction: tx.Tx): GenesisDocument => {
  const decoded = checkTransaction(transaction)
  const signers = requiredSigners(decoded)
  const message = createValidatorOf(decoded)
  verifySignatures(decoded, signers, {
    chainId: document.chain_id,
    maxSignatures: BigInt(MAX_SIGNATURES),
    account: () => ({ sequence: 0n }),
    accountNumber: accountNumberOf,
  })
  const [operator] = signers
  const { description, commission, minSelfDelegation, pubkey, value } = message
  if (operator === undefined || description === undefined || commission === undefined || pubkey === undefined) {
    throw cliError('genesis', 'the message says not all of description, commission and pubkey')
  }
  if (value?.denom !== DENOMINATION) throw cliError('genesis', `the stake must be in ${DENOMINATION}`)
  const tokens = BigInt(value.amount)
  if (tokens < POWER_REDUCTION) throw cliError('genesis', 'a stake of at least 1 NAT is needed for a power of 1')
  return bondValidator(document, {
    operator,
    publicKey: plainBytes(fromBinary(ed25519.PubKeySchema, pubkey.value).key),
    tokens,
    moniker: description.moniker,
    description: {
      identity: description.identity,
      website: description.website,
      securityContact: description.securityContact,
      details: description.details,
    },
    commission: {
      rate: parseScaledDecimal(commission.rate),
      maxRate: parseScaledDecimal(commission.maxRate),
      maxChangeRate: parseScaledDecimal(commission.maxChangeRate),
    },
    minSelfDelegation: BigInt(minSelfDelegation),
    isPaidByOperator: true,
  })
}

export interface Collected {
  readonly document: GenesisDocument
  readonly count: number
  /** The peers of all that named one, as in their memos. */
  readonly peers: readonly string[]
}

/** Every file of the folder, in the order of names. Throws cli/5 with the file at fault. */
export const collectGentxs = (document: GenesisDocument, folder: string): Collected => {
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .toSorted()
    : []
  if (files.length === 0)
    throw cliError('genesis', `${folder} has no .json file: put those of "chain genesis gentx" there`)
  if (files.length > MAX_FILES) throw cliError('genesis', `${folder} has more than ${MAX_FILES} files`)
  let collected = document
  const peers: string[] = []
  for (const name of files) {
    const file = join(folder, name)
    try {
      const transaction = readTransaction(file)
      collected = applyGentx(collected, transaction)
      const memo = transaction.body?.memo ?? ''
      if (/^[0-9a-f]{40}@[^\s,]+:[0-9]+$/.test(memo)) peers.push(memo)
    } catch (error) {
      throw cliError('genesis', `${file}: ${errorText(error)}`)
    }
  }
  return { document: collected, count: files.length, peers }
}
