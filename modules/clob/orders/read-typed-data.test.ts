import { describe, expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { seededRandom } from '../../../store/testing/seeded-random.ts'
import type { ClobTx } from './clob-tx.ts'
import { readTypedTx, typedDataOf } from './index.ts'
import { randomTx } from './testing/random-tx.ts'

const SEED = Number(process.env['SEED'] ?? 1)
const CHAIN = { chainId: 'nat-2517-1', evmChainId: 2517 }

/** The message as a wallet's JSON has it. */
const messageOf = (tx: ClobTx): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(typedDataOf(tx, CHAIN).message, (_, each: unknown) =>
      typeof each === 'bigint' ? each.toString() : each,
    ),
  ) as Record<string, unknown>

describe('the way back from typed data', () => {
  it('gives the transaction that was signed, with the v of a wallet', () => {
    const pick = seededRandom(SEED * 12_007)
    for (let run = 0; run < 500; run++) {
      const tx: ClobTx = { ...randomTx(pick), sigScheme: 1 }
      expect(readTypedTx(messageOf(tx), bytesToHex(tx.signature)), `SEED=${SEED}`).toEqual(tx)
      const wallets = tx.signature.slice()
      wallets[64] = (tx.signature[64] ?? 0) + 27
      expect(readTypedTx(messageOf(tx), bytesToHex(wallets)), `SEED=${SEED}`).toEqual(tx)
    }
  })

  it('refuses what is no such message with a code', () => {
    const message = messageOf({ ...randomTx(seededRandom(SEED)), sigScheme: 1 })
    const others: readonly unknown[] = [undefined, null, 'x', -1, 1.5, 2 ** 53, [], {}, [{}], [null], [{ kind: 'x' }]]
    let refused = 0
    for (const name of Object.keys(message)) {
      for (const other of others) {
        try {
          readTypedTx({ ...message, [name]: other }, '0x')
        } catch (error) {
          refused++
          expect(error).toBeInstanceOf(CodedError)
          expect(error).toMatchObject({ codespace: 'clob', code: 16 })
        }
      }
    }
    expect(refused).toBeGreaterThan(40)
    for (const other of [undefined, 'x', []]) expect(() => readTypedTx(other, '0x')).toThrow(CodedError)
    expect(() => readTypedTx(message, 5)).toThrow(CodedError)
  })
})
