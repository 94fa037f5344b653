import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { countName } from '../../../app/genesis/genesis.ts'
import { MODULES } from '../../../app/module-list.ts'
import { CodedError } from '../../../core/errors.ts'
import { openHome } from '../../node/config/home.ts'
import { createGenesis, type GenesisDocument } from '../../node/genesis/document.ts'
import { rehearseGenesis } from '../../node/genesis/rehearse.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { fetchGenesis } from '../commands/genesis.ts'
import { initHome } from '../commands/init.ts'
import { joinCommand } from '../commands/join.ts'
import { addAccount, addValidator } from './edit.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const KEY = Buffer.alloc(32, 9).toString('base64')
const funded = addAccount(createGenesis('localnat-1', 2517n, '2026-01-01T00:00:00.5Z'), ALICE, '5nat')
const whole = addValidator(funded, { publicKey: KEY, power: 10, name: 'one' })

/** With these members of app_state. */
const having = (members: object, document = whole): GenesisDocument => ({
  ...document,
  app_state: { ...document.app_state, ...members },
})
/** A community pool for which there are no coins. */
const OWING = { distribution: { fee_pool: { community_pool: [{ denom: 'anat', amount: '5' }] } } }
const OWES = 'app_state.distribution: owes more anat than the balance of its account, 0'

/** What an export counts: none of it is there. */
const COUNTS = {
  evm_accounts: 0,
  evm_slots: 0,
  ...Object.fromEntries(
    MODULES.flatMap(({ name, countedLists = [] }) => countedLists.map((list) => [countName(name, list), 0])),
  ),
}

const refusal = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rehearse-'))
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

describe('a genesis that is begun before its chain', () => {
  it('is valid as by itself, and leaves nothing behind', async () => {
    expect(await rehearseGenesis(whole, 'g')).toEqual(validateGenesis(whole, 'g'))
    expect(readdirSync(folder)).toEqual([])
  })

  it.each<readonly [string, GenesisDocument, string]>([
    ['owes what it does not have', having(OWING), OWES],
    [
      'has a plan that was passed over',
      { ...having({ upgrade: { plan: { name: 'x', height: '1', info: '' } } }), initial_height: '8' },
      'app_state contradicts itself (upgrade/plan-is-valid-and-to-come): plan x of height 1 was passed over',
    ],
    ['begins after 2262', { ...whole, genesis_time: '2263-01-01T00:00:00Z' }, 'genesis_time must be from 1970 to 2262'],
    [
      'was changed after its export',
      having({
        export: { ...COUNTS, bank_balances: 2, height: 0, block_hash: '', state_root: `0x${'11'.repeat(32)}` },
      }),
      `the export's is 0x${'11'.repeat(32)}: the file was changed or cut short`,
    ],
  ])('is refused where it %s, which its parts alone do not show', async (_, document, message) => {
    expect(validateGenesis(document, 'g').validatorCount).toBe(1)
    const refused = await refusal(() => rehearseGenesis(document, 'g.json'))
    expect(refused).toMatch(/^cli\/5 g\.json: /)
    expect(refused).toContain(message)
    expect(readdirSync(folder)).toEqual([])
  })

  it('may lack its validators as yet', async () => {
    expect(await refusal(() => rehearseGenesis(funded, 'g'))).toBe('accepted')
    expect(
      await refusal(() => rehearseGenesis(having({ staking: { params: { bond_denom: 'x' } } }, funded), 'g')),
    ).toMatch(/^cli\/5 g: app_state.staking.params/)
  })
})

describe('a network whose genesis no chain can begin with', () => {
  let server: Server
  let url: string
  let genesis: unknown
  beforeEach(async () => {
    server = createServer(({ url: path }, response) => {
      const node_info = {
        id: 'ab'.repeat(20),
        network: 'localnat-1',
        version: '0.38.0',
        listen_addr: 'tcp://0.0.0.0:26656',
      }
      const sync_info = { latest_block_height: '7', catching_up: false, latest_block_time: '2026-01-01T00:00:00Z' }
      const result =
        path === '/genesis'
          ? { genesis }
          : { node_info, sync_info, validator_info: { address: '', voting_power: '0' }, n_peers: '0', peers: [] }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: -1, result }))
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => new Promise((resolve) => void server.close(resolve)))

  it('is not fetched, and not joined by a node that would begin with it', async () => {
    const [home, joined] = [openHome(join(folder, 'home')), openHome(join(folder, 'joined'))]
    await initHome({ home, chainId: 'localnat-1', overwrite: false })
    const options = { home: joined, urls: [url], overwrite: false, peers: {}, say: () => undefined }
    const refused = `cli/5 ${url}/genesis: ${OWES}`
    genesis = having(OWING)
    expect(await refusal(() => fetchGenesis(home, url, {}))).toBe(refused)
    expect(await refusal(() => joinCommand({ ...options, stateSync: false }))).toBe(refused)
    // A snapshot is looked for instead.
    expect(await refusal(() => joinCommand({ ...options, stateSync: true }))).toMatch(/^cli\/1 --state-sync compares/)
    expect(readdirSync(folder)).toEqual(['home'])
    genesis = whole
    expect(await refusal(() => fetchGenesis(home, url, {}))).toBe('accepted')
    expect(readdirSync(folder)).toEqual(['home'])
  })
})

it('refuses books that are not those of their roots, which nobody can begin with', async () => {
  const settings = {
    ...{
      fees: [{ volume: '0', maker_ppm: 100, taker_ppm: 300 }],
      min_notional: '1',
      band_ppm: 100_000,
      max_open_orders: 200,
    },
    ...{ trigger_notional: '1', min_equity: '0', status: 'MARKET_STATUS_ACTIVE', mode: 'MARKET_MODE_CONTINUOUS' },
  }
  const market = {
    id: 1,
    base_denom: 'anat',
    quote_denom: 'utusd',
    lot_size: '1000000000000000',
    factor: '1',
    settings,
  }
  const record = {
    ...{ sequence: '1', block_price_ticks: 0, price_ms: '0', since_ms: '0', best_bid_ticks: 0, best_ask_ticks: 0 },
    ...{ open_orders: 0, book_root: Buffer.alloc(32, 1).toString('base64') },
  }
  const clob = { ...(whole.app_state['clob'] as object), markets: [{ market, record }] }
  const refused = await refusal(() => rehearseGenesis(having({ clob }), 'a file'))
  expect(refused).toContain('cli/5 a file: invariant broken: the open orders of market 1 in state give its book root')
})
