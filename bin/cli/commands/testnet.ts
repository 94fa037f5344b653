/** `chain testnet init-files`: homes of several validators of one chain, each on an address of its own, ready to start. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { encodeBech32 } from '../../../core/bech32.ts'
import { checksumAddress, type Address } from '../../../core/address.ts'
import { invariant } from '../../../core/errors.ts'
import type { HostPort } from '../../../core/host-port.ts'
import { privateKeyToAddress } from '../../../core/signature.ts'
import { openHome, type Home } from '../../node/config/home.ts'
import { setTomlValues } from '../../node/config/comet-toml.ts'
import { type CometPeers, readNodeId, splitPeers } from '../../node/config/peers.ts'
import { cliError } from '../../errors.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../node/genesis/document.ts'
import { addAccount, addValidator } from '../genesis/edit.ts'
import { readValidatorPublicKey } from '../../node/genesis/validator-keys.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { devnetAccounts } from '../keys/devnet-accounts.ts'
import { initHome } from './init.ts'

export interface TestnetOptions {
  readonly validators: number
  readonly directory: string
  readonly chainId: string
  readonly evmChainId?: bigint
  /** IPv4 of the first node; the next ones follow. */
  readonly startingAddress: string
  readonly power: number
  /** The peers of every node, beside one another. */
  readonly peers?: Partial<CometPeers>
}

const MOST_VALIDATORS = 100
/** The balance of each operator, beside its stake. */
const BALANCE = '1000000nat'
const P2P_PORT = 26_656
const RPC_PORT = 26_657

interface NodeFiles {
  readonly home: Home
  readonly host: string
  readonly mnemonic: string
  readonly operator: Address
}

const addressAfter = (first: string, index: number): string => {
  const parts = first.split('.').map(Number)
  const last = (parts[3] ?? 0) + index
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255) || last > 254) {
    throw cliError('usage', `"${first}" is no IPv4 address with room for the nodes: such as 127.0.0.2`)
  }
  return [...parts.slice(0, 3), last].join('.')
}

/** The account that wallets make of the mnemonic first. */
const operatorOf = (mnemonic: string): Address => {
  const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive("m/44'/60'/0'/0/0")
  invariant(privateKey, 'a derived key holds its private part')
  return privateKeyToAddress(privateKey)
}

const makeNode = async (options: TestnetOptions, index: number): Promise<NodeFiles> => {
  const home = openHome(join(options.directory, `node${index}`))
  const host = addressAfter(options.startingAddress, index)
  const at = (port: number): HostPort => ({ host, port })
  await initHome({
    home,
    moniker: `node${index}`,
    chainId: options.chainId,
    ...(options.evmChainId === undefined ? {} : { evmChainId: options.evmChainId }),
    ...(options.peers === undefined ? {} : { peers: options.peers }),
    settings: {
      'api.address': at(1317),
      'grpc.address': at(9090),
      'json-rpc.address': at(8545),
      'json-rpc.ws-address': at(8546),
    },
  })
  const mnemonic = generateMnemonic(wordlist, 256)
  const operator = operatorOf(mnemonic)
  const seed = { secret: mnemonic, address: encodeBech32(operator), hex: checksumAddress(operator) }
  writeFileSync(join(home.root, 'key_seed.json'), `${JSON.stringify(seed, null, 2)}\n`, { mode: 0o600 })
  return { home, host, mnemonic, operator }
}

const shareGenesis = (nodes: readonly NodeFiles[], { power }: TestnetOptions): void => {
  const [first] = nodes
  invariant(first !== undefined, 'there is a node')
  let document = readGenesisJson(first.home.genesis) as GenesisDocument
  for (const { operator } of nodes) document = addAccount(document, checksumAddress(operator), BALANCE)
  for (const { address } of devnetAccounts()) document = addAccount(document, address, BALANCE)
  for (const [index, { home, operator }] of nodes.entries()) {
    const publicKey = readValidatorPublicKey(home.validatorKey)
    document = addValidator(document, { publicKey, power, name: `node${index}`, operator: checksumAddress(operator) })
  }
  validateGenesis(document, first.home.genesis)
  writeGenesis(first.home.genesis, document)
  for (const { home } of nodes) if (home !== first.home) copyFileSync(first.home.genesis, home.genesis)
}

const connect = (nodes: readonly NodeFiles[], { persistentPeers = '' }: Partial<CometPeers> = {}): void => {
  const peers = nodes.map(({ home, host }) => `${readNodeId(home.nodeKey)}@${host}:${P2P_PORT}`)
  for (const [index, { home, host }] of nodes.entries()) {
    const others = peers.filter((_, other) => other !== index)
    const values: Readonly<Record<string, string>> = {
      'p2p.laddr': `"tcp://${host}:${P2P_PORT}"`,
      'rpc.laddr': `"tcp://${host}:${RPC_PORT}"`,
      'p2p.persistent_peers': JSON.stringify([...others, ...splitPeers(persistentPeers)].join(',')),
      'p2p.addr_book_strict': 'false',
      'p2p.allow_duplicate_ip': 'true',
    }
    writeFileSync(home.configToml, setTomlValues(readFileSync(home.configToml, 'utf8'), values))
  }
}

/** Returns what to do next. Throws cli/1, cli/3 and cli/8. */
export const initTestnetFiles = async (options: TestnetOptions): Promise<string> => {
  const { validators } = options
  const directory = resolve(options.directory)
  if (!Number.isInteger(validators) || validators < 1 || validators > MOST_VALIDATORS) {
    throw cliError('usage', `--v must be from 1 to ${MOST_VALIDATORS}`)
  }
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw cliError('homeExists', `${directory} is not empty: choose another --output-dir`)
  }
  // Beside it: an interruption leaves none of which some homes lack what others have.
  const making = `${directory}.making`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { recursive: true, mode: 0o700 })
  const nodes: NodeFiles[] = []
  for (let index = 0; index < validators; index++) nodes.push(await makeNode({ ...options, directory: making }, index))
  shareGenesis(nodes, options)
  connect(nodes, options.peers)
  renameSync(making, directory)
  const starts = nodes.map(({ host }, index) => `  chain start --home ${join(directory, `node${index}`)}   # ${host}`)
  return `${validators} validators of ${options.chainId} in ${directory}, each on an address of its own; start them all:
${starts.join('\n')}
Their operators' mnemonics are in key_seed.json of each home; the ten accounts of the devnet are funded too, with public
keys: use this for tests only.`
}
