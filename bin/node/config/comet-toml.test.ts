import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { adaptCometToml } from './comet-toml.ts'
import { findNetwork } from './networks.ts'

it('has persistent peers called again soon, however long they were away', () => {
  const template = '[p2p]\npersistent_peers_max_dial_period = "0s"\npex = true\n'
  const toml = adaptCometToml(template, findNetwork('nat-2517-1', undefined), 'a')
  expect(parse(toml)).toMatchObject({ p2p: { persistent_peers_max_dial_period: '10s', pex: true } })
})
