/**
 * Records what evmd answers to the native scenario: `node test/e2e/parity/capture-evmd.ts <evmd>`, with evmd of
 * cosmos/evm v0.7 whose prefix of addresses (evmd/config/bech32.go) is `nat`; all else is as published.
 * With the word `ours` as argument our own node is asked, and where it differs its replies are written with the reason:
 * what has none is printed, and is to be mended.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVNET_MNEMONIC } from '../../../bin/cli/keys/devnet-accounts.ts'
import { setTomlValue } from '../../../bin/node/config/toml-lines.ts'
import { accounts } from '../clients.ts'
import { chooseNodePorts, TestNode, until } from '../harness.ts'
import { bech32Of } from '../../sim/native-transactions.ts'
import { CHAIN_ID, FIRST, firstKeyFile, NAT } from './native-accounts.ts'
import { METADATA, withParameters } from './native-genesis.ts'
import { canonReply } from './native-canon.ts'
import { BLOCK_MS, makeHome } from './native-home.ts'
import { type Exchange, NativePeer } from './native-peer.ts'
import { reasonFor } from './native-reasons.ts'
import { scenario } from './native-scenario.ts'

const fixture = join(import.meta.dirname, '../fixtures/native-evmd.json')
const differences = join(import.meta.dirname, '../fixtures/native-differences.json')

const write = (path: string, transcript: readonly Exchange[]): void => {
  const lines = transcript.map(({ title, reply }) => `${JSON.stringify(title)}: ${JSON.stringify(reply)}`)
  writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`)
  console.log(`${lines.length} replies in ${path}`)
}

const editJson = (path: string, edit: (json: never) => unknown): void =>
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')) as never), undefined, 1))

const setAll = (path: string, values: Readonly<Record<string, string>>): void => {
  let toml = readFileSync(path, 'utf8')
  for (const [key, value] of Object.entries(values)) toml = setTomlValue(toml, key, value)
  writeFileSync(path, toml)
}

interface EvmdGenesis {
  readonly consensus: { readonly params: { readonly block: object } }
  readonly app_state: Record<string, Record<string, unknown>>
}

const withMember = (state: EvmdGenesis['app_state'], name: string, params: object): object => ({
  ...state[name],
  params: { ...(state[name]?.['params'] as object), ...params },
})

const makeEvmdHome = (binary: string, home: string): void => {
  const runWith = (input: string, ...args: readonly string[]): void =>
    void execFileSync(binary, [...args, '--home', home], { input, stdio: ['pipe', 'ignore', 'pipe'] })
  const run = (...args: readonly string[]): void => runWith('', ...args)
  const genesis = join(home, 'config/genesis.json')
  run('init', 'parity', '--chain-id', CHAIN_ID)
  writeFileSync(join(home, 'config/priv_validator_key.json'), firstKeyFile())
  editJson(genesis, (document: EvmdGenesis) => ({
    ...document,
    consensus: { params: { ...document.consensus.params, block: { max_bytes: '8000000', max_gas: '1000000000' } } },
    app_state: {
      ...withParameters(document.app_state),
      bank: { ...document.app_state['bank'], denom_metadata: [METADATA] },
      evm: withMember(document.app_state, 'evm', { evm_denom: 'anat' }),
      feemarket: withMember(document.app_state, 'feemarket', {
        no_base_fee: false,
        base_fee: '1900000000.000000000000000000',
        min_gas_price: '1900000000.000000000000000000',
      }),
      erc20: { ...document.app_state['erc20'], token_pairs: [], native_precompiles: [] },
    },
  }))
  for (const [index, account] of accounts.entries()) {
    run('genesis', 'add-genesis-account', bech32Of(account), `${(1_000_000n + (index === 0 ? 10n : 0n)) * NAT}anat`)
  }
  runWith(
    `${DEVNET_MNEMONIC}\n`,
    'keys',
    'add',
    'first',
    '--recover',
    '--algo',
    'eth_secp256k1',
    '--keyring-backend',
    'test',
  )
  const rates = ['--commission-rate', '0.1', '--commission-max-rate', '0.2', '--commission-max-change-rate', '0.01']
  run(
    'genesis',
    'gentx',
    'first',
    `${10n * NAT}anat`,
    '--chain-id',
    CHAIN_ID,
    '--keyring-backend',
    'test',
    '--gas-prices',
    '4000000000anat',
    ...rates,
  )
  run('genesis', 'collect-gentxs')
}

const captureEvmd = async (binary: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'evmd-'))
  const home = join(folder, 'home')
  const ports = await chooseNodePorts()
  const at = (port: number): string => `127.0.0.1:${port}`
  makeEvmdHome(binary, home)
  setAll(join(home, 'config/config.toml'), { 'consensus.timeout_commit': `"${BLOCK_MS}ms"` })
  setAll(join(home, 'config/app.toml'), { 'api.enable': 'true', 'api.address': `"tcp://${at(ports.rest)}"` })
  const settings = [
    ...[
      '--minimum-gas-prices',
      '2000000000anat',
      '--pruning',
      'nothing',
      '--chain-id',
      CHAIN_ID,
      '--evm.evm-chain-id',
      '2517',
      '--mempool.max-txs=-1',
    ],
    ...['--grpc.address', at(ports.grpc), '--rpc.laddr', `tcp://${at(ports.comet)}`],
    ...[
      '--p2p.laddr',
      `tcp://${at(ports.p2p)}`,
      '--json-rpc.address',
      at(ports.http),
      '--json-rpc.ws-address',
      at(ports.ws),
    ],
  ]
  const log = openSync(join(tmpdir(), 'evmd.log'), 'w')
  const evmd = spawn(binary, ['start', '--home', home, ...settings], { stdio: ['ignore', log, log] })
  try {
    const peer = new NativePeer({
      rest: `http://${at(ports.rest)}`,
      comet: `http://${at(ports.comet)}`,
      grpc: at(ports.grpc),
    })
    await until(
      'evmd',
      async () => (await peer.rest(`/cosmos/auth/v1beta1/accounts/${FIRST.address}`)).status === 200 || undefined,
      30_000,
    )
    await scenario(peer).finally(() => write(fixture, peer.transcript))
    peer.close()
  } finally {
    evmd.kill()
    await new Promise((resolve) => (evmd.exitCode === null ? evmd.once('exit', resolve) : resolve(undefined)))
    rmSync(folder, { recursive: true, force: true })
  }
}

const noteDifferences = (transcript: readonly Exchange[]): void => {
  const recorded = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, unknown>
  const ours = new Map(transcript.map(({ title, reply }) => [title, reply]))
  const canon = (title: string, reply: unknown): string => JSON.stringify(canonReply(title, reply ?? null))
  const lines = [...new Set([...Object.keys(recorded), ...ours.keys()])].flatMap((title) => {
    const reply = ours.get(title) ?? null
    if (canon(title, reply) === canon(title, recorded[title])) return []
    const why = reasonFor(title)
    if (why === undefined) console.log(`no reason: ${title}`)
    return `${JSON.stringify(title)}: ${JSON.stringify({ why, reply })}`
  })
  writeFileSync(differences, `{\n${lines.join(',\n')}\n}\n`)
  console.log(`${lines.length} differences in ${differences}`)
}

const captureOurs = async (): Promise<void> => {
  const node = new TestNode(await chooseNodePorts(), {})
  await makeHome(node.home)
  try {
    await node.start()
    const peer = new NativePeer({ rest: node.urls.rest, comet: node.urls.comet, grpc: node.grpc })
    await scenario(peer).finally(() => peer.close())
    noteDifferences(peer.transcript)
  } finally {
    await node.remove()
  }
}

const [, , which = 'evmd'] = process.argv
await (which === 'ours' ? captureOurs() : captureEvmd(which))
