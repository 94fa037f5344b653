import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CodedError } from '../../../core/errors.ts'
import { verifyProofCommand } from './verify-proof.ts'

/** Replies of geth 1.16.8 --dev at its first block, and the state root of that block. */
const STATE_ROOT = '0x9aff779756c2b08f2e944eab5db717f451ce243b6c967961a1b7404843217325'
const ABSENT = {
  address: '0x00000000000000000000000000000000000000aa',
  accountProof: [
    '0xf901d1a079635beeb4f4e27dbc700de26602ffc305780cc1a898cbb1b7ea4c0d9ff699f2a0a47f71b1c697de1416c9d664b2ddac0c6571a80bb323478d2ca743599e50c153a040fd0c4b8c074489c8b6edac6838d86980026a4e8938179ed00be62c26be34eea0875db191d56fcac368e5a064ab412e6d8e020be3d72fd2e6d88a344524c62f61a0de26cb1b4fd99c4d3ed75d4a67931e3c252605c7d68e0148d5327f341bfd5283a0de86ea5531307567132648d5c7956cb6082d6803f3dbc9e16b2dd20b320ca93aa013e1fa2111a555c20cf2d2bc9f1bffe858c84574490c36f7e62f39c879f6663880a02e0d86c3befd177f574a20ac63804532889077e955320c9361cd10b7cc6f5809a0905773350781af03041c03dbf3076605931a9dbdea54c49661a16c18e0dffc9ba06301b39b2ea8a44df8b0356120db64b788e71f52e1d7a6309d0d2e5b86fee7cb80a029087b3ba8c5129e161e2cb956640f4d8e31a35f3f133c19a1044993def98b61a026e3ce7c139e173dd489752034540898c22a9f101c6d8098bf21913b857519e0a0a9e6cc0d5192cb036c2454c7cf19ff53abf1861b50043a7b3713bc003a5a7d88a0144540d36e30b250d25bd5c34d819538742dc54c2017c4eb1fabb8e45f72759180',
    '0xf85180a07a4f5ca70751ed6bf4ab9c0f32546c9ec52335f37baac6a659d4ed2c56b9062e808080808080808080a0e61e567237b49c44d8f906ceea49027260b4010c10a547b38d8b131b9d3b6f848080808080',
  ],
  balance: '0x0',
  codeHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
  nonce: '0x0',
  storageHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
  storageProof: [{ key: '0x0', value: '0x0', proof: [] }],
}
const CONTRACT = {
  address: '0x3a220f351252089d385b29beca14e27f204c296a',
  accountProof: [
    '0xf901d1a079635beeb4f4e27dbc700de26602ffc305780cc1a898cbb1b7ea4c0d9ff699f2a0a47f71b1c697de1416c9d664b2ddac0c6571a80bb323478d2ca743599e50c153a040fd0c4b8c074489c8b6edac6838d86980026a4e8938179ed00be62c26be34eea0875db191d56fcac368e5a064ab412e6d8e020be3d72fd2e6d88a344524c62f61a0de26cb1b4fd99c4d3ed75d4a67931e3c252605c7d68e0148d5327f341bfd5283a0de86ea5531307567132648d5c7956cb6082d6803f3dbc9e16b2dd20b320ca93aa013e1fa2111a555c20cf2d2bc9f1bffe858c84574490c36f7e62f39c879f6663880a02e0d86c3befd177f574a20ac63804532889077e955320c9361cd10b7cc6f5809a0905773350781af03041c03dbf3076605931a9dbdea54c49661a16c18e0dffc9ba06301b39b2ea8a44df8b0356120db64b788e71f52e1d7a6309d0d2e5b86fee7cb80a029087b3ba8c5129e161e2cb956640f4d8e31a35f3f133c19a1044993def98b61a026e3ce7c139e173dd489752034540898c22a9f101c6d8098bf21913b857519e0a0a9e6cc0d5192cb036c2454c7cf19ff53abf1861b50043a7b3713bc003a5a7d88a0144540d36e30b250d25bd5c34d819538742dc54c2017c4eb1fabb8e45f72759180',
    '0xf85180808080a0998f1a60662f16e1b7d5626752bea5ff7a672769512921d900ebd1758c504b2780808080808080a05f7bf0f1918590dfdc7ab6b0893810a1ddc9c97ebd41c17df4f21a8fc59cda5680808080',
    '0xf869a020b2583748c26e89ef19c2a8529b05a270f735553b4d44b6f2a1894987a71c8bb846f8440180a03bbd052d798f2603546f5271aa3dc9e96ef5345cbd1ea00dab3a5d7ffa8d8fc5a0c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  ],
  balance: '0x0',
  codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  nonce: '0x1',
  storageHash: '0x3bbd052d798f2603546f5271aa3dc9e96ef5345cbd1ea00dab3a5d7ffa8d8fc5',
  storageProof: [
    {
      key: '0x0',
      value: '0x11',
      proof: [
        '0xf8918080a02f3be3d4a9101904d10637ce5186777000d980b6150de96e80c9abf80c4826ff80a05cec288029f80518906c03ad962a0d47ecdf98680e3d85558885e7f3e7ac4bee808080808080a0716ec4428ab9693570c6019777902e189bbeff7626813adb3b311f79d3490f73a0b92bbcfcacad3b833b4d2a4993069af365b8ae1fb94abe5cd3f89d97ee91146280808080',
        '0xe2a0390decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e56311',
      ],
    },
    {
      key: '0x1',
      value: '0x2233',
      proof: [
        '0xf8918080a02f3be3d4a9101904d10637ce5186777000d980b6150de96e80c9abf80c4826ff80a05cec288029f80518906c03ad962a0d47ecdf98680e3d85558885e7f3e7ac4bee808080808080a0716ec4428ab9693570c6019777902e189bbeff7626813adb3b311f79d3490f73a0b92bbcfcacad3b833b4d2a4993069af365b8ae1fb94abe5cd3f89d97ee91146280808080',
        '0xe5a0310e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf683822233',
      ],
    },
    {
      key: '0x0000000000000000000000000000000000000000000000000000000000000002',
      value: '0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      proof: [
        '0xf8918080a02f3be3d4a9101904d10637ce5186777000d980b6150de96e80c9abf80c4826ff80a05cec288029f80518906c03ad962a0d47ecdf98680e3d85558885e7f3e7ac4bee808080808080a0716ec4428ab9693570c6019777902e189bbeff7626813adb3b311f79d3490f73a0b92bbcfcacad3b833b4d2a4993069af365b8ae1fb94abe5cd3f89d97ee91146280808080',
        '0xf843a0305787fa12a823e0f2b7631cc41b3ba8828b3321ca811111fa75cd3aa3bb5acea1a0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      ],
    },
    {
      key: '0x9',
      value: '0x0',
      proof: [
        '0xf8918080a02f3be3d4a9101904d10637ce5186777000d980b6150de96e80c9abf80c4826ff80a05cec288029f80518906c03ad962a0d47ecdf98680e3d85558885e7f3e7ac4bee808080808080a0716ec4428ab9693570c6019777902e189bbeff7626813adb3b311f79d3490f73a0b92bbcfcacad3b833b4d2a4993069af365b8ae1fb94abe5cd3f89d97ee91146280808080',
      ],
    },
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'verify-proof-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NONE = { appHash: undefined, stateRoot: undefined, module: undefined }

const verify = (reply: unknown, options: Partial<typeof NONE> | { readonly stateRoot: string }): string => {
  const file = join(folder, 'reply.json')
  writeFileSync(file, typeof reply === 'string' ? reply : JSON.stringify(reply))
  try {
    return verifyProofCommand({ file, ...NONE, ...options }).join('\n')
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}: ${error.message}`
    throw error
  }
}

describe('chain verify-proof', () => {
  it("checks geth's replies of eth_getProof as ours", () => {
    expect(verify({ jsonrpc: '2.0', id: 1, result: CONTRACT }, { stateRoot: STATE_ROOT })).toContain(
      `account ${CONTRACT.address}: nonce 1, balance 0 anat`,
    )
    expect(verify(CONTRACT, { stateRoot: STATE_ROOT.slice(2) })).toContain('slot 0x0: ')
    expect(verify(ABSENT, { stateRoot: STATE_ROOT })).toContain(`account ${ABSENT.address}: none`)
  })

  it('says what is wrong with a reply that proves nothing', () => {
    const root = { stateRoot: STATE_ROOT }
    expect(verify(CONTRACT, { stateRoot: `0x${'11'.repeat(32)}` })).toBe('trie: bad proof: a node is missing')
    expect(verify({ ...CONTRACT, nonce: '0x2' }, root)).toBe('cli: the reply says nonce 2, the proof 1')
    expect(verify({ ...CONTRACT, codeHash: STATE_ROOT }, root)).toContain('another codeHash')
    expect(verify({ ...ABSENT, balance: '0x1' }, root)).toBe('cli: the reply says balance 1, the proof 0')
    const [slot] = CONTRACT.storageProof
    expect(verify({ ...CONTRACT, storageProof: [{ ...slot, value: '0x7' }] }, root)).toContain('value of 0x0 7')
    expect(verify({ ...CONTRACT, address: ABSENT.address }, root)).toMatch(/^(cli|trie): /)
  })

  it('says what it needs', () => {
    expect(verify(CONTRACT, {})).toContain('--state-root')
    expect(verify(CONTRACT, { stateRoot: '0x12' })).toBe('cli: --state-root must have 32 bytes in hexadecimal')
    expect(verify(CONTRACT, { stateRoot: 'xyz' })).toContain('--state-root: invalid hex')
    expect(verify('{', {})).toContain('the reply is not JSON')
    expect(verify([], {})).toContain('the reply has no members')
    const query = { response: { key: 'AQ==', value: null, height: '7' } }
    expect(verify(query, {})).toContain('--app-hash')
    expect(verify(query, { appHash: '11'.repeat(32) } as object)).toContain('--module')
    expect(verify(query, { appHash: '11'.repeat(32), module: 'bank' } as object)).toContain('no proofOps')
    expect(() => verifyProofCommand({ file: join(folder, 'none'), ...NONE })).toThrow('cannot read')
  })
})
