/** The wire form of a transaction of the order book: read, and checked for all that its bytes alone show. */
import { ADDRESS_LENGTH, type Address } from '../../../core/address.ts'
import { isZeroBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { clobError } from '../errors.ts'
import {
  type Action,
  CLOB_TX_BYTE,
  type ClobBody,
  type ClobTx,
  MAX_ACTIONS,
  MAX_CLOB_TX_BYTES,
  MAX_TX_WEIGHT,
  type SignatureScheme,
} from './clob-tx.ts'
import { readAction } from './decode-action.ts'
import { MAX_UINT32, TX, VERSION } from './fields.ts'
import { phaseOf, weightOf } from './phase-and-weight.ts'
import { isSignatureForm } from './signature-form.ts'
import { WireReader } from './wire-reader.ts'

const checkAddress = (bytes: Uint8Array, name: string): Address => {
  if (bytes.length !== ADDRESS_LENGTH) {
    throw clobError('addressBytes', `${name} has ${ADDRESS_LENGTH} bytes, not ${bytes.length}`)
  }
  return bytes
}

const readVersion = (reader: WireReader): void => {
  const version = reader.uint(TX.version, 'version', MAX_UINT32)
  if (version === VERSION) return
  if (version === 0) reader.refuseMisplaced(TX.version, 'version')
  throw clobError('version', `the version of a ClobTx is ${VERSION}, not ${version}`)
}

const readOwner = (reader: WireReader): Address => {
  const owner = reader.bytes(TX.owner, 'owner')
  if (owner.length === 0) reader.refuseMisplaced(TX.owner, 'owner')
  return checkAddress(owner, 'owner')
}

const readActions = (reader: WireReader): readonly Action[] => {
  const actions: Action[] = []
  while (reader.peek() === TX.actions && actions.length < MAX_ACTIONS)
    actions.push(reader.message('action', readAction))
  if (actions.length === 0 || reader.peek() === TX.actions) {
    if (actions.length === 0) reader.refuseMisplaced(TX.actions, 'actions')
    throw clobError('actionCount', `a ClobTx has 1 to ${MAX_ACTIONS} actions`)
  }
  return actions
}

const readScheme = (reader: WireReader): SignatureScheme => {
  const scheme = reader.uint(TX.sigScheme, 'sig_scheme', 3)
  if (scheme !== 0) return scheme as SignatureScheme
  reader.refuseMisplaced(TX.sigScheme, 'sig_scheme')
  throw clobError('range', 'sig_scheme is missing: it is within 1 to 3')
}

const readSignature = (reader: WireReader): Uint8Array => {
  const signature = reader.bytes(TX.signature, 'signature')
  if (!isSignatureForm(signature)) {
    if (signature.length === 0) reader.refuseMisplaced(TX.signature, 'signature')
    throw clobError(
      'signatureForm',
      'a signature is 65 bytes: r, s of at most half the order of secp256k1, v of 0 or 1',
    )
  }
  return signature
}

const readAgent = (reader: WireReader): Address | undefined => {
  const agent = reader.bytes(TX.agent, 'agent')
  if (agent.length === 0) return undefined
  // What is signed has the zero address where there is no agent: both must not have one signature.
  if (isZeroBytes(checkAddress(agent, 'agent'))) throw clobError('addressBytes', 'the agent is the zero address')
  return agent
}

const readTx = (reader: WireReader): ClobTx => {
  readVersion(reader)
  // The members stand in the order of the fields: an object literal is evaluated so.
  const tx: ClobTx = {
    owner: readOwner(reader),
    subaccount: reader.uint(TX.subaccount, 'subaccount', MAX_UINT32),
    nonceMs: reader.uint(TX.nonceMs, 'nonce_ms', Number.MAX_SAFE_INTEGER),
    goodTilBlock: reader.uint(TX.goodTilBlock, 'good_til_block', MAX_UINT32),
    actions: readActions(reader),
    sigScheme: readScheme(reader),
    signature: readSignature(reader),
    agent: readAgent(reader),
  }
  reader.finish('ClobTx')
  return tx
}

/**
 * Throws clob/1 to clob/14 where `raw` is not statically valid (docs/clob-spec.md, Messages), and nothing else. It depends on
 * the bytes alone. `raw` is kept, everything else is a copy. The work is bounded by the length, and that before any of it.
 */
export const decodeClobBody = (raw: Uint8Array): ClobBody => {
  if (raw.length < 2 || raw.length > MAX_CLOB_TX_BYTES || raw[0] !== CLOB_TX_BYTE) {
    throw clobError(
      'wireForm',
      `a transaction of the order book has 2 to ${MAX_CLOB_TX_BYTES} bytes and begins with 0x70; this one has ${raw.length} bytes`,
    )
  }
  const tx = readTx(new WireReader(raw, 1))
  const weight = weightOf(tx.actions)
  if (weight > MAX_TX_WEIGHT) {
    throw clobError('txWeight', `the weight of a ClobTx is at most ${MAX_TX_WEIGHT}, not ${weight}`)
  }
  return { raw, hash: sha256(raw), tx, phase: phaseOf(tx.actions), weight }
}
