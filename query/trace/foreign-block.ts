/** A block that is not one of this chain's, on top of its parent: only Ethereum transactions, and no modules. */
import { contractAddress } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { ZERO_HASH } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { BlockEnvironment } from '../../evm/engine.ts'
import { decodeSigned } from '../../evm/transaction/recover-sender.ts'
import { toMessage } from '../../evm/transaction/validity.ts'
import { Overlay } from '../../store/overlay.ts'
import { runSystemCalls } from '../../app/block/run.ts'
import { hardforkAt } from '../../app/records/chain-parameters.ts'
import { queryFailed } from '../../app/errors.ts'
import { recentBlockHash } from '../../app/index/block-hash.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { nativePrecompilesAt } from '../../app/precompiles/index.ts'
import { resolveHeight, type ChainView } from '../chain-view.ts'
import type { TraceBudget } from './budget.ts'
import { createTracer } from './create-tracer.ts'
import type { DecodedBlock } from './decode-block.ts'

const ONE_SECOND_NS = 1_000_000_000n

/** The height of the parent; throws query/1. */
const requireParent = (view: ChainView, { header }: DecodedBlock): number => {
  if (header.number === 0n) throw queryFailed('genesis is not traceable')
  const height = Number(header.number - 1n)
  if (resolveHeight(view, { number: height }) === undefined) {
    throw queryFailed(`block #${BigInt.asUintN(64, header.number - 1n)} not found`)
  }
  const hash = view.reader.hashAt(height)
  if (hash !== undefined && equalBytes(hash, header.parentHash)) return height
  const other = resolveHeight(view, { hash: bytesToHex(header.parentHash) })
  if (other === undefined) throw queryFailed(`block ${bytesToHex(header.parentHash)} not found`)
  return other
}

const environmentOf = (
  view: ChainView,
  { header }: DecodedBlock,
  timestamp: number,
  state: Overlay,
): BlockEnvironment => ({
  number: Number(header.number),
  timestamp,
  coinbase: header.miner,
  gasLimit: header.gasLimit,
  baseFeePerGas: header.baseFeePerGas,
  blobBaseFee: 1n,
  prevRandao: header.mixHash,
  chainId: view.parameters.evmChainId,
  hardfork: hardforkAt(view.parameters, timestamp),
  blockHash: (number) => recentBlockHash(view.reader, state, Number(header.number), number),
})

export const traceForeignBlock = async (
  view: ChainView,
  block: DecodedBlock,
  choice: TracerChoice,
  budget: TraceBudget,
): Promise<string> => {
  const state = new Overlay(view.stateAt(requireParent(view, block)))
  const { parentHash, parentBeaconBlockRoot: beaconRoot = ZERO_HASH } = block.header
  const [height, timestamp] = [Number(block.header.number), Number(block.header.timestamp)]
  if (!Number.isSafeInteger(timestamp)) throw queryFailed(`the time ${timestamp} of the block is too large`)
  const environment = environmentOf(view, block, timestamp, state)
  await runSystemCalls(view.engine, state, environment, parentHash, beaconRoot)
  const timeNs = BigInt(timestamp) * ONE_SECOND_NS
  const nativePrecompiles = nativePrecompilesAt(view.modules, { height, timeNs, chainId: view.parameters.chainId })
  const texts: string[] = []
  for (const [index, raw] of block.transactions.entries()) {
    const signed = decodeSigned(raw)
    const message = toMessage(signed)
    const transactionHash = signed.hash
    const to = message.to ?? contractAddress(message.sender, message.nonce)
    const place = { blockHash: block.hash, height, index, transactionHash }
    budget.beginTransaction()
    state.beginTransaction()
    const tracer = createTracer(choice, { state, environment, message, to, place, budget })
    const options = { fees: 'collect', checks: 'transaction', nativePrecompiles, ...tracer.hooks } as const
    const outcome = await view.engine.execute(state, environment, message, options)
    if (!outcome.valid) throw queryFailed(`tracing failed: ${outcome.error.message}`)
    tracer.end?.(outcome.result)
    texts.push(`{"txHash":"${bytesToHex(transactionHash)}","result":${tracer.result()}}`)
  }
  return `[${texts.join(',')}]`
}
