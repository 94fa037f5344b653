/** Notes: an example of a family of transactions. One is its byte, who writes it, his nonce, and a text. It costs a transfer. */
import type { Address } from '../../../core/address.ts'
import { concatBytes, EMPTY_BYTES, readUint64, uint64ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import { PLAIN_TRANSFER_GAS } from '../../../core/limits.ts'
import { WEIGHT } from '../../../evm/weight.ts'
import type {
  AppliedTransaction,
  BlockTransaction,
  TransactionOutcome,
  TransactionScope,
} from '../../../app/block/transaction.ts'
import { invalid } from '../../../app/block/transaction.ts'
import { type EntryContext, type PoolEntry, poolAccountOf } from '../../../app/pool/entry.ts'
import type { PoolFamily } from '../../../app/pool/family.ts'
import { EMPTY_ACCOUNT } from '../../../store/state.ts'

const NOTE_BYTE = 0x6e
const HEAD_BYTES = 29
const GAS = BigInt(PLAIN_TRANSFER_GAS)

export const encodeNote = (author: Address, nonce: number, text: string): Uint8Array =>
  concatBytes(Uint8Array.of(NOTE_BYTE), author, uint64ToBytes(nonce), utf8ToBytes(text))

class Note implements BlockTransaction {
  readonly raw: Uint8Array
  readonly author: Address
  readonly nonce: bigint

  constructor(raw: Uint8Array) {
    if (raw.length <= HEAD_BYTES) throw new CodedError('note', 1, 'a note says something')
    this.raw = raw
    this.author = raw.slice(1, 21)
    this.nonce = BigInt(readUint64(raw, 21))
  }

  apply({ overlay, gasLeft }: TransactionScope): TransactionOutcome {
    const account = overlay.account(this.author) ?? EMPTY_ACCOUNT
    if (account.nonce !== this.nonce) return invalid(new CodedError('note', 2, 'another nonce is next'))
    if (gasLeft < GAS) return invalid(new CodedError('note', 3, 'no gas is left'))
    overlay.beginTransaction()
    overlay.setAccount(this.author, { ...account, nonce: account.nonce + 1n })
    return new AppliedNote(this.raw)
  }
}

class AppliedNote implements AppliedTransaction {
  readonly kind = 'applied'
  readonly gasUsed = GAS
  readonly weight = WEIGHT.transaction
  readonly workGas = 0n
  readonly ethereum = undefined
  readonly #raw: Uint8Array

  constructor(raw: Uint8Array) {
    this.#raw = raw
  }

  result() {
    const data = this.#raw.slice(HEAD_BYTES)
    return { code: 0, codespace: '', log: '', data, gasWanted: GAS, gasUsed: GAS, events: EMPTY_BYTES }
  }

  storedHash(): Hash {
    return sha256(this.#raw)
  }
}

const entryOf = (transaction: Note, arrival: number, addedAtMs: number): PoolEntry => {
  const { raw, author: sender, nonce } = transaction
  return {
    ...{ transaction, raw, sender, nonce, arrival, addedAtMs, hash: sha256(raw), gasLimit: GAS },
    ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n, costAnat: 0n },
    ...{ memoryBytes: raw.length, rlpBytes: 0, mostWeight: WEIGHT.transaction, isAnnounced: false },
    authorities: [],
    terms: undefined,
    checkLimits: () => undefined,
    checkState: ({ state }: EntryContext) => {
      if ((state.account(sender)?.nonce ?? 0n) > nonce) throw new CodedError('note', 2, 'the nonce is used')
    },
  }
}

export const noteFamily: PoolFamily = {
  name: 'note',
  isLeading: false,
  isInEthereumBlock: false,
  isShown: true,
  recognises: (firstByte) => firstByte === NOTE_BYTE,
  hash: (raw) => sha256(raw),
  decode: (raw) => new Note(raw),
  leastGas: () => GAS,
  leastWeight: WEIGHT.transaction,
  examine: (raw) => {
    const note = new Note(raw)
    return {
      signatureTask: () => undefined,
      enter: (_, { pool, state, arrival, nowMs, baseFeePerGas }) => {
        const entry = entryOf(note, arrival, nowMs)
        pool.insert(entry, poolAccountOf(state.account(entry.sender)), baseFeePerGas)
        return entry
      },
    }
  },
}
