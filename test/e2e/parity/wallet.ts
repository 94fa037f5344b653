/** Signs transactions of every kind, the wrong ones too: no library would. */
import { bytesToBigint } from '../../../core/bytes.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { keccak256 } from '../../../core/hash.ts'
import { privateKeyToAddress, signDigest } from '../../../core/signature.ts'
import { authorizationHash, encodeTransaction, signingHash } from '../../../evm/transaction/encode-transaction.ts'
import type { Authorization, Transaction } from '../../../evm/transaction/transaction.ts'

/** geth's development chain; the node under test is given the same. */
export const CHAIN_ID = 1337n
export const GWEI = 1_000_000_000n

export interface Fields {
  readonly type?: 0 | 1 | 2 | 4
  readonly nonce?: number | bigint
  readonly gas?: bigint
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  /** The gas price of types 0 and 1. */
  readonly price?: bigint
  readonly fee?: bigint
  readonly tip?: bigint
  /** Null leaves a legacy transaction unprotected. */
  readonly chainId?: bigint | null
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
  readonly authorizations?: readonly Authorization[]
}

export class Wallet {
  readonly #key: Uint8Array
  readonly address: Hex
  nonce = 0

  constructor(seed: string | Uint8Array) {
    this.#key = typeof seed === 'string' ? keccak256(new TextEncoder().encode(seed)) : seed
    this.address = bytesToHex(privateKeyToAddress(this.#key))
  }

  /** The wire form. */
  sign(fields: Fields): Hex {
    const type = fields.type ?? 0
    const common = {
      nonce: BigInt(fields.nonce ?? 0),
      gasLimit: fields.gas ?? 21_000n,
      to: fields.to === undefined ? undefined : hexToBytes(fields.to),
      value: fields.value ?? 0n,
      data: hexToBytes(fields.data ?? '0x'),
      v: 0n,
      r: 0n,
      s: 0n,
    }
    const chainId = fields.chainId === undefined ? CHAIN_ID : fields.chainId
    const gasPrice = fields.price ?? 10n * GWEI
    const accessList = (fields.accessList ?? []).map(({ address, storageKeys }) => ({
      address: hexToBytes(address),
      storageKeys: storageKeys.map(hexToBytes),
    }))
    const dynamic = { maxFeePerGas: fields.fee ?? 10n * GWEI, maxPriorityFeePerGas: fields.tip ?? 10n * GWEI }
    const typed = { ...common, chainId: chainId ?? 0n, accessList }
    const unsigned: Transaction =
      type === 0
        ? { ...common, type, gasPrice, chainId: chainId ?? undefined }
        : type === 1
          ? { ...typed, type, gasPrice }
          : type === 2
            ? { ...typed, type, ...dynamic }
            : { ...typed, type, ...dynamic, authorizationList: fields.authorizations ?? [] }
    const { r, s, yParity } = signDigest(signingHash(unsigned), this.#key)
    const v = type !== 0 ? yParity : chainId === null ? 27 + yParity : Number(chainId) * 2 + 35 + yParity
    return bytesToHex(encodeTransaction({ ...unsigned, v: BigInt(v), r: bytesToBigint(r), s: bytesToBigint(s) }))
  }

  /** Signed with the next nonce of this wallet. */
  next(fields: Fields): Hex {
    return this.sign({ ...fields, nonce: this.nonce++ })
  }

  authorize(address: Hex, nonce: bigint, chainId = CHAIN_ID): Authorization {
    const tuple = { chainId, address: hexToBytes(address), nonce, yParity: 0n, r: 0n, s: 0n }
    const { r, s, yParity } = signDigest(authorizationHash(tuple), this.#key)
    return { ...tuple, r: bytesToBigint(r), s: bytesToBigint(s), yParity: BigInt(yParity) }
  }
}

export const hashOf = (raw: Hex): Hex => bytesToHex(keccak256(hexToBytes(raw)))
