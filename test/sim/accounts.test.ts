import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { makeAccount } from './accounts.ts'
import { Random } from './random.ts'

const random = new Random(20_516)
const TO = '0x00000000000000000000000000000000000000aa'
const common = { chainId: 2517, nonce: 3, to: TO, value: 7n, gas: 60_000n } as const
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n } as const

describe('an account of the simulation', () => {
  it('signs what viem signs, byte by byte', async () => {
    for (let round = 0; round < 20; round++) {
      const key = random.hex(32)
      const [ours, theirs] = [makeAccount(key), privateKeyToAccount(key)]
      expect([ours.address, ours.publicKey]).toEqual([theirs.address, theirs.publicKey])
      const hash = random.hex(32)
      expect(await ours.sign({ hash })).toBe(await theirs.sign({ hash }))
      const data = random.hex(round)
      const authorization = await theirs.signAuthorization({ address: TO, nonce: 0, chainId: 2517 })
      for (const transaction of [
        { ...common, data, type: 'legacy', gasPrice: 9n },
        { nonce: 3, to: TO, data, type: 'legacy', gasPrice: 9n },
        { ...common, data, type: 'eip2930', gasPrice: 9n, accessList: [{ address: TO, storageKeys: [hash] }] },
        { ...common, ...fees, data, type: 'eip1559' },
        { ...common, ...fees, data, type: 'eip7702', authorizationList: [authorization] },
      ] as const) {
        expect(await ours.signTransaction(transaction)).toBe(await theirs.signTransaction(transaction))
      }
    }
  })
})
