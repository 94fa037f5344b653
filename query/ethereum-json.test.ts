import { expect, it } from 'vitest'
import type { SignedTransaction, Transaction } from '../evm/transaction/transaction.ts'
import { transactionJson, transactionText } from './ethereum-json.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const word = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

const LEGACY = {
  type: 0,
  chainId: undefined as bigint | undefined,
  nonce: 0n,
  gasPrice: 7n,
  gasLimit: 21_000n,
  to: address(2),
  value: 10n ** 18n,
  data: new Uint8Array(0),
  v: 27n,
  r: (1n << 255n) + 9n,
  s: 1n,
} as const
const TYPED = { ...LEGACY, chainId: 2517n, data: Uint8Array.of(0, 255, 1), v: 1n }
const ACCESS_LIST = [
  { address: address(3), storageKeys: [word(1), word(0)] },
  { address: address(4), storageKeys: [] },
]
const { gasPrice: _gasPrice, ...WITHOUT_PRICE } = TYPED
const FEES = { maxFeePerGas: 9n, maxPriorityFeePerGas: 3n }
const AUTHORIZATION = { chainId: 0n, address: address(5), nonce: 4n, yParity: 1n, r: 2n, s: 3n }

const TRANSACTIONS: readonly Transaction[] = [
  LEGACY,
  { ...LEGACY, chainId: 1n, v: 37n, to: undefined, data: Uint8Array.of(0x60) },
  { ...TYPED, type: 1, accessList: [] },
  { ...TYPED, type: 1, accessList: ACCESS_LIST },
  { ...WITHOUT_PRICE, ...FEES, type: 2, accessList: ACCESS_LIST },
  { ...WITHOUT_PRICE, ...FEES, type: 2, to: undefined, accessList: [] },
  { ...WITHOUT_PRICE, ...FEES, type: 4, accessList: ACCESS_LIST, authorizationList: [AUTHORIZATION, AUTHORIZATION] },
]

it.each(TRANSACTIONS)('the text of a transaction of type $type is that of its object', (transaction) => {
  const signed: SignedTransaction = { transaction, sender: address(1), hash: word(7), raw: new Uint8Array(1) }
  for (const baseFeePerGas of [0n, 5n, 8n]) {
    const placement = { blockHash: '0xab', height: 300, index: 16, baseFeePerGas } as const
    expect(transactionText(signed, placement)).toBe(JSON.stringify(transactionJson(signed, placement)))
  }
})
