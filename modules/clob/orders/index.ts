/** Transactions of the order book: their encoding, what makes them statically valid, and who signed them. */
export {
  type ActionResult,
  type ClobResult,
  decodeClobResult,
  encodeClobResult,
} from './clob-result.ts'
export {
  type Action,
  CLOB_TX_BYTE,
  type ClobBody,
  type ClobTx,
  marketOfAction,
  MAX_ACTIONS,
  MAX_CLOB_TX_BYTES,
  MAX_TX_WEIGHT,
  type Phase,
  PHASES,
  type Place,
  type SignatureScheme,
  type Target,
} from './clob-tx.ts'
export { decodeAction } from './decode-action.ts'
export { decodeClobBody } from './decode-clob-tx.ts'
export { encodeAction, encodeClobTx } from './encode-clob-tx.ts'
export { canTake, maxFillsOf, phaseOf, weightOf, weightOfAction } from './phase-and-weight.ts'
export { readTypedTx } from './read-typed-data.ts'
export { addressOfKey, expectedSigner, recoverSigner, signatureTaskOf, signBytesOf, signDigest } from './signing.ts'
export { type SigningChain, typedDataOf } from './typed-data.ts'
