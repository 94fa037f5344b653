import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { readAddress } from './addresses.ts'

describe('addresses of the command line', () => {
  it('are read without a checksum, or with the one that viem writes', () => {
    for (let number = 0; number < 100; number++) {
      const address = keccak256(Uint8Array.of(number)).slice(12)
      const hex = bytesToHex(address)
      for (const text of [hex, hex.slice(2), `0x${hex.slice(2).toUpperCase()}`, getAddress(hex)]) {
        expect(readAddress(text), text).toEqual(address)
      }
    }
  })

  it('are refused where a digit of a checksummed one is mistyped', () => {
    const right = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    expect(() => readAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267')).toThrow('has a wrong checksum')
    expect(() => readAddress(right.replace('f39F', 'F39F'))).toThrow(`it would be ${right}`)
  })
})
