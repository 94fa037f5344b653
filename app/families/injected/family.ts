/** The list of vote extensions that a proposer puts first: docs/adr/031. */
import { type Hash, sha256 } from '../../../core/hash.ts'
import { INJECTED_BYTE } from '../../attestations/injected.ts'
import {
  type AppliedTransaction,
  type BlockTransaction,
  invalid,
  NO_RESULT,
  type TransactionOutcome,
  type TransactionScope,
} from '../../block/transaction.ts'
import { appError, poolError } from '../../errors.ts'
import type { PoolFamily } from '../../pool/family.ts'

/** It pays nothing: the votes are bounded by their number and their length. */
const APPLIED = {
  kind: 'applied',
  gasUsed: 0n,
  weight: 0,
  workGas: 0n,
  ethereum: undefined,
  result: () => NO_RESULT,
  storedHash: (): Hash | undefined => undefined,
} as const

class InjectedTransaction implements BlockTransaction {
  readonly #raw: Uint8Array

  constructor(raw: Uint8Array) {
    this.#raw = raw
  }

  apply(scope: TransactionScope): TransactionOutcome {
    const attestations = scope.attested(this.#raw)
    if (typeof attestations === 'string') return invalid(appError('invalidInBlock', attestations))
    const applied: AppliedTransaction = { ...APPLIED, attestations }
    return applied
  }
}

export const injectedFamily: PoolFamily = {
  name: 'injected',
  isLeading: true,
  isInEthereumBlock: false,
  isShown: false,
  recognises: (firstByte) => firstByte === INJECTED_BYTE,
  hash: (raw) => sha256(raw),
  decode: (raw) => new InjectedTransaction(raw),
  leastGas: () => 0n,
  leastWeight: 0,
  examine: () => {
    throw poolError('familyNotSupported', 'transactions of the injected family are not supported')
  },
}
