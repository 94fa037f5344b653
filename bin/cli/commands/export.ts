/** `chain export`: the state of a height as the genesis file of a chain that goes on from it. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { exportAppState } from '../../../app/genesis/export.ts'
import { ChainReader } from '../../../app/index/chain-reader.ts'
import { viewBuffer } from '../../../core/bytes.ts'
import { bytesToHex, bytesToUnprefixedHex } from '../../../core/hex.ts'
import { MAX_GENESIS_BYTES } from '../../../core/limits.ts'
import { consensusAddress } from '../../../core/signature.ts'
import {
  type ConsensusParameters,
  readConsensusParameters,
  readValidatorSets,
} from '../../../modules/consensus/index.ts'
import type { ValidatorUpdate } from '../../../modules/module.ts'
import { HistoricalState } from '../../../store/history.ts'
import { isKept, readKeptRange } from '../../../store/kept-range.ts'
import type { Home } from '../../node/config/home.ts'
import { findNetwork } from '../../node/config/networks.ts'
import { cliError } from '../../errors.ts'
import { type HomeChain, withHomeChain } from '../../node/open-home-chain.ts'

const NANOSECONDS_PER_SECOND = 1_000_000_000n
const NANOSECOND_DIGITS = 9
/** Text is written in pieces of about this size. */
const PIECE_BYTES = 1024 * 1024

export interface ExportOptions {
  readonly home: Home
  /** The head when left out. */
  readonly height?: number
  readonly output?: string
  /** The chain ID of the new genesis; that of the chain when left out. */
  readonly chainId?: string
}

export interface Exported {
  readonly path: string
  readonly height: number
  readonly stateRoot: string
  readonly bytes: number
}

/** RFC 3339 with nanoseconds. */
const formatTime = (timeNs: bigint): string => {
  const seconds = new Date(Number(timeNs / NANOSECONDS_PER_SECOND) * 1_000).toISOString().slice(0, 19)
  return `${seconds}.${(timeNs % NANOSECONDS_PER_SECOND).toString().padStart(NANOSECOND_DIGITS, '0')}Z`
}

const formatParameters = ({ block, evidence, validator, version, abci }: ConsensusParameters) => ({
  block: { max_bytes: block.maxBytes.toString(), max_gas: block.maxGas.toString() },
  evidence: {
    max_age_num_blocks: evidence.maxAgeNumBlocks.toString(),
    max_age_duration: evidence.maxAgeDurationNs.toString(),
    max_bytes: evidence.maxBytes.toString(),
  },
  validator: { pub_key_types: validator.pubKeyTypes },
  version: { app: version.app.toString() },
  abci: { vote_extensions_enable_height: abci.voteExtensionsEnableHeight.toString() },
})

const formatValidator = ({ publicKey, power }: ValidatorUpdate) => ({
  address: bytesToUnprefixedHex(consensusAddress(publicKey)).toUpperCase(),
  pub_key: { type: 'tendermint/PubKeyEd25519', value: viewBuffer(publicKey).toString('base64') },
  power: power.toString(),
  name: '',
})

/** Throws cli/1 when the state or the block of that height is not here. */
const requireHeader = ({ store, parameters, height: head }: HomeChain, height: number) => {
  const first = parameters.initialHeight - 1
  if (height < first || height > head) {
    throw cliError('usage', `--height ${height}: this home holds the heights ${first} to ${head}`)
  }
  if (!isKept(readKeptRange(store), height)) {
    throw cliError('usage', `--height ${height}: the state of that height was pruned`)
  }
  const record = new ChainReader(store).header(height)
  if (record === undefined) throw cliError('usage', `--height ${height}: the block of that height was pruned`)
  return record
}

/** CometBFT's document around the text of app_state, which comes last: the check in it ends the file. */
function* documentText(chain: HomeChain, height: number, chainId: string): Generator<string> {
  const { store, parameters, height: head } = chain
  const record = requireHeader(chain, height)
  const committedHeight = (): number => head
  const state = new HistoricalState(store, height, committedHeight)
  try {
    // The newest set is in force in both chains soon; CometBFT begins with one.
    const validators = readValidatorSets(state).at(-1)?.validators ?? []
    const envelope = {
      genesis_time: formatTime(record.timeNs),
      chain_id: chainId,
      initial_height: (height + 1).toString(),
      consensus_params: formatParameters(readConsensusParameters(state)),
      validators: validators.map(formatValidator),
      app_hash: '',
    }
    yield `${JSON.stringify(envelope, null, 2).slice(0, -2)},\n"app_state": `
  } finally {
    state.close()
  }
  yield* exportAppState({ store, height, committedHeight, parameters: { ...parameters, chainId }, record })
  yield '\n}\n'
}

/** Returns the bytes written. Throws cli/5 when a node could not read the file. */
const writeText = (file: number, text: Iterable<string>): number => {
  let bytes = 0
  let piece = ''
  const flush = (): void => {
    const buffer = Buffer.from(piece, 'utf8')
    for (let at = 0; at < buffer.length; ) at += writeSync(file, buffer, at)
    bytes += buffer.length
    piece = ''
    if (bytes > MAX_GENESIS_BYTES) {
      throw cliError(
        'genesis',
        `the export passes ${MAX_GENESIS_BYTES} bytes, the most that a node reads: use snapshots`,
      )
    }
  }
  for (const part of text) {
    piece += part
    if (piece.length >= PIECE_BYTES) flush()
  }
  flush()
  fsyncSync(file)
  return bytes
}

/** The file is there when it is whole, or not at all. Throws cli errors. */
export const exportGenesis = async (options: ExportOptions): Promise<Exported> => {
  const { home } = options
  return await withHomeChain(home, (chain) => {
    const height = options.height ?? chain.height
    const chainId = options.chainId ?? chain.parameters.chainId
    findNetwork(chainId, chain.parameters.evmChainId)
    const path = resolve(options.output ?? `${chainId}-${height}.json`)
    if (existsSync(path)) throw cliError('homeExists', `${path} exists: name another file with --output`)
    const { header } = requireHeader(chain, height)
    const temporary = `${path}.${randomUUID()}.new`
    const file = openSync(temporary, 'wx', 0o600)
    try {
      const bytes = writeText(file, documentText(chain, height, chainId))
      renameSync(temporary, path)
      return { path, height, stateRoot: bytesToHex(header.stateRoot), bytes }
    } finally {
      closeSync(file)
      rmSync(temporary, { force: true })
    }
  })
}
