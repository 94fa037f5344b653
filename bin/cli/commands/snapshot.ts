/** `chain snapshot`: lists and makes snapshots of a stopped home, and carries one to another machine. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SnapshotDescription } from '../../../app/ports.ts'
import { describeBlock } from '../../../app/snapshot-block.ts'
import { bytesToHex, bytesToUnprefixedHex, hexToBytes } from '../../../core/hex.ts'
import { parseSnapshotMetadata } from '../../../store/snapshot/metadata.ts'
import type { Home } from '../../node/config/home.ts'
import { loadSettings } from '../../node/config/app-toml.ts'
import { requireHome } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { readGenesisJson } from '../../node/genesis/document.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { chainOf } from '../../node/open-application.ts'
import { type HomeChain, withHomeChain } from '../../node/open-home-chain.ts'
import { Work } from '../../node/progress.ts'
import { COMETBFT_DATABASES, restoreArchive } from '../../node/restore-archive.ts'
import { type ArchiveFile, requireNewFile, writeArchive } from '../../node/runtime/archive.ts'
import {
  listSnapshots,
  removeUnfinished,
  requireSoundChunks,
  snapshotPath,
  writeSnapshot,
} from '../../node/runtime/snapshot-files.ts'

type Say = (line: string) => void

/** The clock of lines of progress. */
const nowMs = (): number => performance.now()

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

const describe = (home: Home, { height, format, chunks, hash, metadata }: SnapshotDescription): string => {
  const folder = snapshotPath(home.snapshots, height, format)
  const { counts } = parseSnapshotMetadata(metadata)
  const made = statSync(folder).mtime.toISOString()
  const held = `${counts.accounts} accounts, ${counts.slots} slots, ${counts.values} values, ${counts.codes} codes`
  return `height ${height}  format ${format}  ${chunks} chunks  ${megabytes(sizeOf(folder))}  made ${made}  ${held}  ${bytesToUnprefixedHex(hash)}`
}

/** Newest first. The node may run. */
export const listCommand = (home: Home): readonly string[] => {
  const warnings: string[] = []
  const found = listSnapshots(home.snapshots, (reason) => warnings.push(`damaged: ${reason}`))
  const lines = found.map((snapshot) => describe(home, snapshot))
  return lines.length + warnings.length === 0 ? [`no snapshots in ${home.snapshots}`] : [...lines, ...warnings]
}

const makeSnapshot = async (
  home: Home,
  { store, parameters, height }: HomeChain,
  say: Say,
): Promise<SnapshotDescription> => {
  if (height < parameters.initialHeight) throw cliError('snapshot', 'no block has been committed in this home yet')
  removeUnfinished(home.snapshots)
  const [code, state] = [store.cursor('code'), store.cursor('state')]
  try {
    // How many there will be nobody knows: about as many as the newest one that was made here.
    const [last] = listSnapshots(home.snapshots, () => undefined)
    const about = last === undefined ? '' : ` (the one of height ${last.height} has ${last.chunks})`
    const work = new Work({ unit: `chunks written${about}`, nowMs, say })
    const onChunk = (chunks: number): void => work.done(chunks)
    return await writeSnapshot({ folder: home.snapshots, code, state, block: describeBlock(store, height), onChunk })
  } finally {
    code.close()
    state.close()
  }
}

/** A snapshot of the head. Throws cli/2, cli/11 and cli/17. */
export const createCommand = (home: Home, say: Say): Promise<void> =>
  withHomeChain(home, async (chain) => {
    say(`making a snapshot of height ${chain.height}`)
    say(describe(home, await makeSnapshot(home, chain, say)))
  })

export interface ExportOptions {
  readonly home: Home
  readonly file: string
  /** Height of a snapshot that is there; the head when left out. */
  readonly height?: number
  readonly say: Say
}

const cometFiles = (home: Home): readonly ArchiveFile[] =>
  COMETBFT_DATABASES.filter((name) => existsSync(join(home.data, name))).flatMap((name) =>
    readdirSync(join(home.data, name), { withFileTypes: true })
      // Logs for people, and the lock of whoever has it open.
      .filter((entry) => entry.isFile() && !/^(LOCK|LOG(\.old)?)$/.test(entry.name))
      .map((entry) => ({
        path: `cometbft/${name}/${entry.name}`,
        size: statSync(join(home.data, name, entry.name)).size,
      })),
  )

const snapshotFiles = (folder: string, chunks: number): readonly ArchiveFile[] =>
  ['metadata', ...Array.from({ length: chunks }, (_, index) => `chunk-${index}`)].map((name) => ({
    path: `snapshot/${name}`,
    size: statSync(join(folder, name)).size,
  }))

const chooseSnapshot = async ({ home, height, say }: ExportOptions, chain: HomeChain): Promise<SnapshotDescription> => {
  const wanted = height ?? chain.height
  const held = listSnapshots(home.snapshots, (reason) => say(`damaged: ${reason}`))
  const found = held.find((snapshot) => snapshot.height === wanted)
  if (found !== undefined) return found
  if (wanted !== chain.height) {
    const heights = held.map((snapshot) => snapshot.height).join(', ') || 'none'
    throw cliError(
      'snapshot',
      `there is no snapshot of height ${wanted}; there are: ${heights}; the head is ${chain.height}`,
    )
  }
  say(`making a snapshot of height ${wanted}`)
  return makeSnapshot(home, chain, say)
}

/** One file with a snapshot and CometBFT's data, of a stopped home. Throws cli/2, cli/11 and cli/17. */
export const exportCommand = (options: ExportOptions): Promise<void> =>
  withHomeChain(options.home, async (chain) => {
    const { home, say } = options
    const output = resolve(options.file)
    // A file that exists is refused before the minutes that a snapshot takes.
    requireNewFile(output)
    const chosen = await chooseSnapshot(options, chain)
    const { height, format, chunks } = chosen
    // Or it is found out when somebody needs the archive.
    requireSoundChunks(home.snapshots, chosen)
    const folder = snapshotPath(home.snapshots, height, format)
    const files = [...snapshotFiles(folder, chunks), ...cometFiles(home)]
    say(`writing ${files.length} files to ${output}`)
    const work = new Work({ unit: 'files written', total: files.length, nowMs, say })
    await writeArchive({
      output,
      manifest: { chainId: chain.parameters.chainId, height, files },
      sourceOf: (path) =>
        path.startsWith('snapshot/')
          ? join(folder, path.slice('snapshot/'.length))
          : join(home.data, path.slice('cometbft/'.length)),
      onFile: (_path, index) => work.done(index + 1),
    })
    say(`${output}: height ${height} of ${chain.parameters.chainId}, ${megabytes(statSync(output).size)}`)
  })

export interface RestoreOptions {
  readonly home: Home
  readonly file: string
  /** 0x and 64 digits. */
  readonly blockHash?: string
  readonly say: Say
}

const parseBlockHash = (text: string): Uint8Array => {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw cliError('usage', `--block-hash is "${text}", but must be 0x and 64 digits`)
  return hexToBytes(text)
}

/** Throws cli/1, cli/2, cli/5, cli/7 and cli/17; the home is as it was then. */
export const restoreCommand = async ({ home, file, blockHash, say }: RestoreOptions): Promise<void> => {
  requireHome(home)
  const { settings } = loadSettings({
    path: home.appToml,
    toml: readFileSync(home.appToml, 'utf8'),
    flags: {},
    environment: process.env,
  })
  const genesis = validateGenesis(readGenesisJson(home.genesis), home.genesis, {
    evmChainId: BigInt(settings['evm.evm-chain-id']),
  })
  const restored = await restoreArchive({
    home,
    archive: resolve(file),
    chain: chainOf(genesis),
    ...(blockHash === undefined ? {} : { blockHash: parseBlockHash(blockHash) }),
    say,
  })
  say(`block ${restored.height} has the hash ${bytesToHex(restored.blockHash)}: compare it with that of another node`)
  say(`next: set p2p.seeds or p2p.persistent_peers in config.toml, chain start --home ${home.root}`)
}
