import { expect, it, vi } from 'vitest'
import { publicKeyOf, printPublicKey } from './keys/public-key-json.ts'
import { describeAddress, describePublicKey } from './commands/debug-program.ts'
import { reportError } from '../report-error.ts'
import { cliError } from '../errors.ts'
import { say, sayJson } from './commands/flags.ts'
import { formatText, printResult } from './output.ts'

it('a result as text is read member by member, and what YAML would misread is quoted', () => {
  const value = {
    name: 'alice',
    '@type': '/cosmos.bank.v1beta1.MsgSend',
    amounts: [
      { denom: 'anat', amount: '5' },
      { denom: 'uother', parts: [1, 2] },
    ],
    odd: ['yes', 'a: b', '', ' padded', '0x10', 'null', 'natural text, no'],
    nothing: null,
    empty: [],
    none: {},
    flag: true,
  }
  expect(formatText(value)).toBe(
    [
      'name: alice',
      '"@type": /cosmos.bank.v1beta1.MsgSend',
      'amounts:',
      '  - denom: anat',
      '    amount: "5"',
      '  - denom: uother',
      '    parts:',
      '      - 1',
      '      - 2',
      'odd:',
      '  - "yes"',
      '  - "a: b"',
      '  - ""',
      '  - " padded"',
      '  - "0x10"',
      '  - "null"',
      '  - "natural text, no"',
      'nothing: null',
      'empty: []',
      'none: {}',
      'flag: true',
    ].join('\n'),
  )
  expect(formatText([])).toBe('[]')
})

it('an address has all its forms, from any of them', () => {
  const forms = {
    hex: '7E5F4552091A69125D5DFCB7B8C2659029395BDF',
    checksum: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
    account: 'nat10e0525sfrf53yh2aljmm3sn9jq5njk7lw50ga9',
    operator: 'natvaloper10e0525sfrf53yh2aljmm3sn9jq5njk7llxfx7v',
    consensus: 'natvalcons10e0525sfrf53yh2aljmm3sn9jq5njk7lt466jd',
  }
  for (const text of [...Object.values(forms), forms.account.toUpperCase()])
    expect(describeAddress(text)).toEqual(forms)
  for (const text of ['', 'alice', '0x12', `${forms.account}q`, 'cosmos1qqqsyqcyq5rqwzqfys8f67']) {
    expect(() => describeAddress(text), text).toThrow(expect.objectContaining({ codespace: 'cli', code: 1 }))
  }
})

it('a public key says its address: of accounts, and of votes in both of their forms', () => {
  const account = publicKeyOf(
    Uint8Array.from({ length: 32 }, (_, index) => Number(index === 31)),
    'eth_secp256k1',
  )
  expect(describePublicKey(JSON.stringify(printPublicKey(account)))).toMatchObject({
    type: 'eth_secp256k1',
    checksum: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  })
  // CometBFT's spec/core/encoding.md gives this shape; the address is sha256 of the key, 20 bytes.
  const value = Buffer.alloc(32, 9).toString('base64')
  const shown = describePublicKey(JSON.stringify({ type: 'tendermint/PubKeyEd25519', value }))
  expect(shown).toMatchObject({ type: 'ed25519', pubkey_hex: '09'.repeat(32) })
  expect(describePublicKey(JSON.stringify({ '@type': '/cosmos.crypto.ed25519.PubKey', key: value }))).toEqual(shown)
  for (const text of ['{}', '[', '{"@type":"/cosmos.crypto.ed25519.PubKey","key":"AA=="}']) {
    expect(() => describePublicKey(text), text).toThrow(expect.objectContaining({ codespace: 'cli' }))
  }
})

it('what others have chosen does not reach the terminal as it is', () => {
  // The control sequence introducer in one character, a change of direction, an escape and a tag.
  const name = 'a\u009b2J\u202eb\u001b]0;x\u0007\u{e0041}'
  let said = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => (said += String(text)) !== '')
  const writeError = vi.spyOn(process.stderr, 'write').mockImplementation((text) => (said += String(text)) !== '')
  try {
    printResult({ name }, 'json')
    expect(JSON.parse(said)).toEqual({ name })
    printResult({ [name]: name }, 'text')
    sayJson({ name })
    say(`dials ${name}`)
    reportError(cliError('query', name))
  } finally {
    write.mockRestore()
    writeError.mockRestore()
    process.exitCode = undefined
  }
  expect(said.split('\n')).toHaveLength(8)
  expect(said.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
})
