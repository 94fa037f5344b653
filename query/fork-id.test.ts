/** The ids of Ethereum's networks, from the tests of geth's core/forkid. */
import { expect, test } from 'vitest'
import { hexToBytes } from '../core/hex.ts'
import { forkId } from './fork-id.ts'

const MAINNET = hexToBytes('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
const SEPOLIA = hexToBytes('0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9')

const mainnet = [
  ...[1_150_000, 1_920_000, 2_463_000, 2_675_000, 4_370_000, 7_280_000, 9_069_000, 9_200_000, 12_244_000, 12_965_000],
  ...[13_773_000, 15_050_000, 1_681_338_455, 1_710_338_135, 1_746_612_311, 1_764_798_551, 1_765_290_071],
]
const mainnetIds = [
  ...['0xfc64ec04', '0x97c2c34c', '0x91d1f948', '0x7a64da13', '0x3edd5b10', '0xa00bc324', '0x668db0af', '0x879d6e30'],
  ...['0xe029e991', '0x0eb440f6', '0xb715077d', '0x20c327fc', '0xf0afd0e3', '0xdce96c2d', '0x9f3d2254', '0xc376cf8b'],
  ...['0x5167e2a6', '0xcba2a1c0'],
]
const sepolia = [1_735_371, 1_677_557_088, 1_706_655_072, 1_741_159_776, 1_760_427_360]
const sepoliaIds = ['0xfe3366e7', '0xb96cbd13', '0xf7f9bc08', '0x88cf81d9', '0xed88b5fd', '0xe2ae4999']

test("fork ids are those of Ethereum's networks after every fork", () => {
  expect(mainnetIds.map((_, passed) => forkId(MAINNET, mainnet.slice(0, passed)))).toEqual(mainnetIds)
  expect(sepoliaIds.map((_, passed) => forkId(SEPOLIA, sepolia.slice(0, passed)))).toEqual(sepoliaIds)
})
