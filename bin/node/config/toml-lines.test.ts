import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { lineNumbers, setTomlValue } from './toml-lines.ts'

const toml = `# top
moniker = "a"

[rpc]
# where
laddr = "tcp://a" # kept until it is set

[p2p]
laddr = "tcp://b"

[[p2p.libp2p.overrides]]
name = "x"
`

describe('editing TOML', () => {
  it('finds keys by section', () => {
    expect(Object.fromEntries(lineNumbers(toml))).toEqual({
      moniker: 2,
      'rpc.laddr': 6,
      'p2p.laddr': 9,
      'p2p.libp2p.overrides.name': 12,
    })
  })

  it('changes one key and leaves the rest as it stands', () => {
    const changed = setTomlValue(toml, 'p2p.laddr', '"tcp://c"')
    expect(changed).toBe(toml.replace('"tcp://b"', '"tcp://c"'))
  })

  it('adds missing keys and sections where they belong', () => {
    const added = [
      ['fast', 'true'],
      ['rpc.unsafe', 'false'],
      ['storage.keep', '1'],
    ].reduce((text, [key = '', value = '']) => setTomlValue(text, key, value), toml)
    expect(parse(added)).toMatchObject({
      moniker: 'a',
      fast: true,
      rpc: { laddr: 'tcp://a', unsafe: false },
      p2p: { laddr: 'tcp://b' },
      storage: { keep: 1 },
    })
  })
})
