import { describe, expect, it } from 'vitest'
import { type TransactionSerializable, keccak256 as viemKeccak, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { recoverAuthorizationAddress } from 'viem/utils'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { encodeTransaction } from './encode-transaction.ts'
import { decodeTransaction } from './decode-transaction.ts'
import { recoverAuthority } from './recover-authority.ts'
import { decodeSigned } from './recover-sender.ts'

const account = privateKeyToAccount(`0x${'7a'.repeat(32)}`)
const to = `0x${'12'.repeat(20)}` as const
const accessList = [
  { address: to, storageKeys: [`0x${'34'.repeat(32)}` as const] },
  { address: to, storageKeys: [] },
]

const authorization = await account.signAuthorization({ chainId: 2517, address: to, nonce: 7 })
const TRANSACTIONS: Readonly<Record<string, TransactionSerializable>> = {
  'legacy without a chain id': { type: 'legacy', to, gas: 21_000n, gasPrice: 1n, nonce: 0, value: 1n },
  'legacy with a chain id': { type: 'legacy', chainId: 2517, to, gas: 21_000n, gasPrice: 10n ** 18n, nonce: 300 },
  'a legacy creation': { type: 'legacy', chainId: 1, gas: 60_000n, gasPrice: 1n, data: '0x60016000' },
  'an access list': { type: 'eip2930', chainId: 2517, to, gas: 30_000n, gasPrice: 5n, accessList, data: '0x00' },
  'a dynamic fee': {
    type: 'eip1559',
    chainId: 2517,
    to,
    gas: 2n ** 63n,
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 2n,
    accessList,
    value: 2n ** 255n,
    data: `0x${'ab'.repeat(300)}`,
  },
  'a set code': {
    type: 'eip7702',
    chainId: 2517,
    to,
    gas: 100_000n,
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 2n,
    authorizationList: [authorization],
  },
}

const message = (hex: string): string => {
  try {
    decodeTransaction(hexToBytes(hex))
    return 'accepted'
  } catch (error) {
    if (error instanceof CodedError) return error.message
    throw error
  }
}

describe('transactions that viem signed', () => {
  it.each(Object.entries(TRANSACTIONS))(
    '%s: decodes, recovers, and encodes to the same bytes',
    async (_, transaction) => {
      const raw = await account.signTransaction(transaction)
      const signed = decodeSigned(hexToBytes(raw))
      expect(bytesToHex(signed.sender)).toBe(account.address.toLowerCase())
      expect(bytesToHex(signed.hash)).toBe(viemKeccak(raw))
      expect(bytesToHex(encodeTransaction(signed.transaction))).toBe(raw)
      expect(signed.transaction.gasLimit).toBe(transaction.gas)
      expect(signed.transaction.value).toBe(transaction.value ?? 0n)
      expect(signed.transaction.chainId).toBe(
        transaction.chainId === undefined ? undefined : BigInt(transaction.chainId),
      )
    },
  )

  it('name their authorities', async () => {
    const raw = await account.signTransaction(TRANSACTIONS['a set code'] as TransactionSerializable)
    const { transaction } = decodeSigned(hexToBytes(raw))
    const tuple = transaction.type === 4 ? transaction.authorizationList[0] : undefined
    expect(tuple).toBeDefined()
    if (tuple === undefined) return
    const authority = recoverAuthority(tuple)
    expect(authority && bytesToHex(authority)).toBe(
      (await recoverAuthorizationAddress({ authorization })).toLowerCase(),
    )
    expect(recoverAuthority({ ...tuple, s: 0n })).toBeUndefined()
    expect(recoverAuthority({ ...tuple, yParity: 2n })).toBeUndefined()
  })
})

describe('what is refused', () => {
  it.each([
    ['0x', 'typed transaction too short'],
    ['0x02', 'typed transaction too short'],
    ['0x03c0', 'transaction type not supported'],
    ['0x05c0', 'transaction type not supported'],
    ['0x7fc0', 'transaction type not supported'],
    ['0x80', 'rlp: expected input list for types.LegacyTx'],
    ['0xc0', 'rlp: too few elements for types.LegacyTx'],
    ['0xc9808080808080808080', 'accepted'],
    ['0xca80808080808080808080', 'rlp: input list has too many elements for types.LegacyTx'],
    ['0xc98080808080808080', 'rlp: value size exceeds available input length'],
    ['0xc980808080808080808080', 'rlp: input contains more than one value'],
    [
      '0xc9008080808080808080',
      'rlp: non-canonical integer (leading zero bytes) for uint64, decoding into (types.LegacyTx).Nonce',
    ],
    [
      '0xcc808080830102038080808080',
      'rlp: input string too short for common.Address, decoding into (types.LegacyTx).To',
    ],
    ['0x01c0', 'rlp: too few elements for types.AccessListTx'],
  ])('%s: %s', (hex, text) => {
    expect(message(hex)).toBe(text)
  })

  it('a blob transaction of viem', () => {
    const raw = serializeTransaction({
      type: 'eip4844',
      chainId: 1,
      to,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
    })
    expect(message(raw)).toBe('transaction type not supported')
  })
})
