import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { defineMethod, required } from '../method.ts'
import { decodeData } from '../parameters/hex.ts'

export const sha3 = defineMethod({
  name: 'web3_sha3',
  cost: 2,
  parameters: [required(decodeData)],
  answer: (_, data) => `"${bytesToHex(keccak256(hexToBytes(data)))}"`,
})
