/** What a native transaction would use, without signatures, fee and sequence: on a copy of a state. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { readAuthParameters } from '../../../modules/auth/index.ts'
import type { Event } from '../../../modules/module.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'
import { tx } from '../../../proto/index.ts'
import { checkMemo } from '../../native/decode-transaction.ts'
import { transactionGas } from '../../native/gas.ts'
import { type PublicKey, publicKeyAddress } from '../../native/public-key.ts'
import { checkSignatureCount } from '../../native/verify-signatures.ts'
import type { NativeContext } from './ante.ts'
import { GasMeter } from './gas-meter.ts'
import { runMessages } from './messages.ts'
import type { Prepare } from './prepare.ts'
import { signerAccount } from './signers.ts'

/** Bytes that a signed transaction has more: each signature, and the fee with the sign mode. */
const SIGNATURE_BYTES = 66n
const FEE_BYTES = 60n

export interface DryRun {
  readonly gasUsed: bigint
  readonly data: Uint8Array
  readonly events: readonly Event[]
}

/** The wire form of a Tx, whose body and auth info are bytes there. */
export const encodeTx = ({ body, authInfo, signatures }: tx.Tx): Uint8Array =>
  toBinary(
    tx.TxRawSchema,
    create(tx.TxRawSchema, {
      bodyBytes: toBinary(tx.TxBodySchema, body ?? create(tx.TxBodySchema)),
      authInfoBytes: toBinary(tx.AuthInfoSchema, authInfo ?? create(tx.AuthInfoSchema)),
      signatures,
    }),
  )

/** Clients name a key by the wrong algorithm here, or leave it out: then it is the dearest that it can be. */
const guessKey = (given: PublicKey | undefined, address: Address): PublicKey => {
  if (given !== undefined && equalBytes(publicKeyAddress(given), address)) return given
  const key = given !== undefined && given.type !== 'multisig' ? given.key : new Uint8Array(0)
  return { type: 'eth_secp256k1', typeUrl: '', key }
}

/** Writes to `context.state`. Throws what decoding and the messages throw, and sdk/9 for a signer without account. */
export const dryRun = (raw: Uint8Array, prepare: Prepare, context: NativeContext): DryRun => {
  const prepared = prepare(raw)
  const { transaction, signers } = prepared
  const parameters = readAuthParameters(context.state)
  checkMemo(transaction.memo, parameters.maxMemoCharacters)
  const resolved = signers.map((address, index) => {
    const account = signerAccount(context.state, address)
    if (account === undefined) throw sdkError('unknownAddress', `account ${encodeBech32(address)} does not exist`)
    const info = transaction.signerInfos[index]
    const mode = info?.mode ?? ({ type: 'single', mode: 0 } as const)
    return { publicKey: account.publicKey ?? guessKey(info?.publicKey, address), info: { mode } }
  })
  checkSignatureCount(resolved, parameters.txSigLimit)
  const meter = new GasMeter(context.gasLeft)
  const unsigned = signers.filter((_, index) => (transaction.signatures[index]?.length ?? 0) === 0).length
  const missing = SIGNATURE_BYTES * BigInt(unsigned) + (transaction.fee.coins.length === 0 ? FEE_BYTES : 0n)
  meter.consume(
    transactionGas(transaction, resolved, parameters) + parameters.txSizeCostPerByte * missing,
    'size and signatures',
  )
  context.state.beginTransaction()
  const { data, events } = runMessages(prepared, context, meter)
  return { gasUsed: meter.used, data, events }
}
