/** State of the order book, value by value, each proven under the application hash of a verified header. */
import { bytesToKey, bytesToUtf8 } from '../../../core/bytes.ts'
import { CodedError, invariant, InvariantError } from '../../../core/errors.ts'
import type { StateReader } from '../../../store/state.ts'
import { decodeStateProof, verifyStateProof } from '../../../store/trie/verify-state-proof.ts'
import type { Stored } from './audit-node.ts'

const MODULE = 'clob'
const PROOF_TYPE = 'eth:mpt'

/** Why an answer does not prove what it says of the state of `height`; `appHash` is that of header height + 1. */
export const proofFault = (
  key: Uint8Array,
  answer: Stored,
  height: number,
  appHash: Uint8Array,
): string | undefined => {
  const name = `proof of ${MODULE}/${bytesToUtf8(key.slice(0, 8)).replace(/[^a-z]/g, '')} at ${height}`
  const [op, ...more] = answer.proofOps?.ops ?? []
  if (op?.type !== PROOF_TYPE || more.length > 0) return `${name}: there must be one of type ${PROOF_TYPE}`
  try {
    const claim = { appHash, module: MODULE, key, value: answer.value }
    const proven = verifyStateProof(claim, decodeStateProof(op.data))
    return proven.height === height ? undefined : `${name}: it is of height ${proven.height}`
  } catch (error) {
    if (error instanceof CodedError) return `${name}: ${error.message}`
    throw error
  }
}

const unproven = (): never => {
  throw new InvariantError('an audit reads what it has not proven')
}

/** What the readers of the module's keeper are asked with: it has the proven values and no others. */
export class ProvenState implements StateReader {
  readonly account = unproven
  readonly storage = unproven
  readonly code = unproven
  readonly values = unproven
  readonly #values = new Map<string, Uint8Array | undefined>()

  /** Empty: proven to be absent. The module has no empty values. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#values.set(bytesToKey(key), value.length === 0 ? undefined : value)
  }

  value(_system: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    const at = bytesToKey(key)
    invariant(this.#values.has(at), 'an audit reads a value that it has not proven')
    return this.#values.get(at)
  }
}
