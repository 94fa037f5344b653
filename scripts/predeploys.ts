/**
 * Makes bin/cli/genesis/predeploys.json: `node scripts/predeploys.ts`. It wants npm, Go and the network.
 * Where creation code is published, it runs here as it ran on Ethereum (chain id 1), and what it leaves is recorded. Multicall3 and
 * Permit2 are published as the code that Ethereum has; their hashes are those that explorers show.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, checksumAddress } from '../core/address.ts'
import { bytesToKey, concatBytes, keyToBytes } from '../core/bytes.ts'
import { keccak256, ZERO_HASH } from '../core/hash.ts'
import { bytesToHex, hexToBytes } from '../core/hex.ts'
import type { BlockEnvironment, Message } from '../evm/engine.ts'
import { createInterpreterEngine } from '../evm/interpreter/create-engine.ts'
import { decodeSigned } from '../evm/transaction/recover-sender.ts'
import { LatestState } from '../store/latest.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { Overlay } from '../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../store/state.ts'

const OUTPUT = new URL('../bin/cli/genesis/predeploys.json', import.meta.url)
const SENDER = new Uint8Array(20).fill(0xaa)
const FUNDS = 10n ** 21n
const SLOT_BYTES = 32

/** A block of Ethereum from when these were made; no rule of a newer fork matters to them. */
const ETHEREUM: BlockEnvironment = {
  number: 20_000_000,
  timestamp: 1_717_000_000,
  coinbase: new Uint8Array(20).fill(0xcc),
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  prevRandao: ZERO_HASH,
  chainId: 1n,
  hardfork: 'cancun',
  blockHash: () => undefined,
}

interface Predeploy {
  readonly name: string
  readonly address: string
  readonly licence: string
  readonly source: string
  readonly codeHash: string
  readonly nonce: number
  readonly storage: Readonly<Record<string, string>>
  readonly code: string
}

const CREATE2_FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const SAFE_FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7'
const CREATE_X = '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed'
const ENTRY_POINTS = [
  {
    version: '0.7.0',
    address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    creator: '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C',
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
  },
  {
    version: '0.8.0',
    address: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
    creator: '0x449ED7C3e6Fee6a97311d4b55475DF59C44AdD33',
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
  },
] as const

/** The directory of an unpacked package of npm. */
const npmPackage = (root: string, name: string): string => {
  const directory = join(root, name.replaceAll(/[^a-z0-9.]/g, '-'))
  mkdirSync(directory)
  const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: directory, encoding: 'utf8' }).trim()
  execFileSync('tar', ['xzf', packed], { cwd: directory })
  return join(directory, 'package')
}

const goModule = (name: string): string =>
  (JSON.parse(execFileSync('go', ['mod', 'download', '-json', name], { encoding: 'utf8' })) as { Dir: string }).Dir

const found = (pattern: RegExp, text: string, what: string): string => {
  const [, value] = pattern.exec(text) ?? []
  if (value === undefined) throw new TypeError(`${what} is not where it was`)
  return value
}

const root = mkdtempSync(join(tmpdir(), 'predeploys-'))
try {
  const engine = await createInterpreterEngine()
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const entries: Predeploy[] = []

  const fund = (address: Address): void =>
    state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), balance: FUNDS })

  const execute = async (message: Pick<Message, 'sender' | 'to' | 'data' | 'nonce'>): Promise<void> => {
    fund(message.sender)
    const outcome = await engine.execute(
      state,
      ETHEREUM,
      {
        type: 0,
        gasLimit: 15_000_000n,
        value: 0n,
        maxFeePerGas: 20n,
        maxPriorityFeePerGas: 20n,
        accessList: [],
        authorizationList: [],
        blobVersionedHashes: [],
        maxFeePerBlobGas: undefined,
        ...message,
      },
      { fees: 'collect', checks: 'transaction' },
    )
    if (!outcome.valid) throw outcome.error
    if (outcome.result.failure !== undefined) throw new TypeError(outcome.result.failure.message)
  }

  /** The transaction that anybody may send on any chain, signed without a chain id by a key that nobody has (Nick's method). */
  const executeSigned = async (raw: string): Promise<void> => {
    const { transaction, sender } = decodeSigned(hexToBytes(raw))
    await execute({ sender, to: transaction.to, data: transaction.data, nonce: transaction.nonce })
  }

  const record = (name: string, text: string, licence: string, source: string): void => {
    const address = hexToBytes(text)
    const account = state.account(address)
    const code = account === undefined ? undefined : state.code(account.codeHash)
    if (account === undefined || code === undefined || code.length === 0) throw new TypeError(`${name} has no code`)
    const slots = state.changes().storage.get(bytesToKey(address))?.slots ?? new Map<string, Uint8Array>()
    const storage: Record<string, string> = {}
    for (const [slot, value] of slots) {
      const padded = concatBytes(new Uint8Array(SLOT_BYTES - value.length), value)
      if (value.length > 0) storage[bytesToHex(keyToBytes(slot))] = bytesToHex(padded)
    }
    entries.push({
      name,
      address: checksumAddress(address),
      licence,
      source,
      codeHash: bytesToHex(keccak256(code)),
      nonce: Number(account.nonce),
      storage,
      code: bytesToHex(code),
    })
  }

  /** Code as Ethereum has it. */
  const place = (address: string, code: string): void =>
    state.setAccount(hexToBytes(address), { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: state.setCode(hexToBytes(code)) })

  const COSMOS = 'github.com/cosmos/evm@v0.7.3'
  const preinstalls = readFileSync(join(goModule(COSMOS), 'x/vm/types/preinstall.go'), 'utf8')
  const preinstall = (name: string): string =>
    found(new RegExp(`Name: +"${name}",\\s+Address: +"[^"]+",\\s+Code: +"(0x[0-9a-f]+)"`), preinstalls, name)

  place(CREATE2_FACTORY, preinstall('Create2'))
  record('Create2 factory', CREATE2_FACTORY, 'Unlicense', COSMOS)

  const SAFE = '@safe-global/safe-singleton-factory@2.0.0'
  const safe = readFileSync(join(npmPackage(root, SAFE), 'artifacts/1/deployment.json'), 'utf8')
  await executeSigned((JSON.parse(safe) as { transaction: string }).transaction)
  record('Safe singleton factory', SAFE_FACTORY, 'MIT', SAFE)

  place('0xcA11bde05977b3631167028862bE2a173976CA11', preinstall('Multicall3'))
  record('Multicall3', '0xcA11bde05977b3631167028862bE2a173976CA11', 'MIT', COSMOS)

  place('0x000000000022D473030F116dDEE9F6B43aC78BA3', preinstall('Permit2'))
  record('Permit2', '0x000000000022D473030F116dDEE9F6B43aC78BA3', 'MIT', COSMOS)

  const IGNITION = '@nomicfoundation/ignition-core@3.1.9'
  const artifact = 'src/internal/execution/strategy/createx-artifact.ts'
  const createX = readFileSync(join(npmPackage(root, IGNITION), artifact), 'utf8')
  await executeSigned(found(/presignedTx =\s+"(0x[0-9a-f]+)"/, createX, 'CreateX'))
  record('CreateX', CREATE_X, 'AGPL-3.0-only', IGNITION)

  for (const { version, address, creator, salt } of ENTRY_POINTS) {
    const name = `@account-abstraction/contracts@${version}`
    const text = readFileSync(join(npmPackage(root, name), 'artifacts/EntryPoint.json'), 'utf8')
    const { bytecode } = JSON.parse(text) as { bytecode: string }
    const nonce = state.account(SENDER)?.nonce ?? 0n
    const data = concatBytes(hexToBytes(salt), hexToBytes(bytecode))
    await execute({ sender: SENDER, to: hexToBytes(CREATE2_FACTORY), data, nonce })
    record(`EntryPoint ${version.slice(0, 3)}`, address, 'GPL-3.0-only', name)
    record(`SenderCreator of EntryPoint ${version.slice(0, 3)}`, creator, 'GPL-3.0-only', name)
  }
  writeFileSync(OUTPUT, `${JSON.stringify(entries, undefined, 2)}\n`)
  for (const { name, address, codeHash, nonce, storage, code } of entries) {
    process.stdout.write(
      `${name} ${address} ${codeHash} ${code.length / 2 - 1} B, nonce ${nonce}, ${JSON.stringify(storage)}\n`,
    )
  }
} finally {
  rmSync(root, { recursive: true })
}
