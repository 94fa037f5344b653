/** The genesis that CometBFT brings must be that of the home. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import type { InitChainRequest } from '../../../app/ports.ts'
import { createGenesis, type GenesisDocument, writeGenesis } from './document.ts'
import { requireGenesisOf } from './kept-genesis.ts'

const root = mkdtempSync(join(tmpdir(), 'kept-genesis-'))
afterAll(() => rmSync(root, { recursive: true }))

const home = { root, genesis: join(root, 'genesis.json') }
const document = createGenesis('localnat-1', 2517n, '2026-01-02T03:04:05.6Z')

const requestOf = ({ app_state: appState }: GenesisDocument): InitChainRequest => ({
  timeNs: BigInt(Date.parse('2026-01-02T03:04:05.6Z')) * 1_000_000n,
  chainId: 'localnat-1',
  consensusParameters: undefined,
  validators: [],
  appState: utf8ToBytes(JSON.stringify(appState)),
  initialHeight: 1,
})

it('is taken where it is that of the file, however the file is written', () => {
  const check = (): void => requireGenesisOf(home, requestOf(document))
  writeGenesis(home.genesis, document)
  expect(check).not.toThrow()
  writeFileSync(home.genesis, JSON.stringify(document, null, '\t\n'))
  expect(check).not.toThrow()
})

it('is refused with what to do where the file was corrected after the first start', () => {
  const supply = [{ denom: 'anat', amount: '1' }]
  const corrected = { ...document, app_state: { ...document.app_state, bank: { ...document.app_state.bank, supply } } }
  for (const changed of [corrected, { ...document, genesis_time: '2026-01-02T03:04:06Z' }]) {
    writeGenesis(home.genesis, changed)
    expect(() => requireGenesisOf(home, requestOf(document))).toThrow(`run "cometbft reset-state --home ${root}"`)
  }
})
