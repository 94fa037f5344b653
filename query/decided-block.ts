/**
 * Decided blocks for cosmos.base.tendermint and cosmos.tx. CometBFT says a short one as a whole. Of a long one it says
 * the two commits, and this node has the transactions itself: CometBFT would write megabytes of base64 for every client
 * that asks, beside the blocks that it decides.
 */
import { create } from '@bufbuild/protobuf'
import { encodeBech32 } from '../core/bech32.ts'
import { decodeRequest } from '../modules/handlers.ts'
import { cometQuery, txService } from '../proto/index.ts'
import {
  BlockSchema as SdkBlockSchema,
  HeaderSchema as SdkHeaderSchema,
} from '../proto/gen/cosmos/base/tendermint/v1beta1/types_pb.ts'
import { BlockSchema } from '../proto/gen/tendermint/types/block_pb.ts'
import { EvidenceListSchema } from '../proto/gen/tendermint/types/evidence_pb.ts'
import {
  BlockIDSchema,
  CommitSchema,
  CommitSigSchema,
  DataSchema,
  HeaderSchema,
  PartSetHeaderSchema,
} from '../proto/gen/tendermint/types/types_pb.ts'
import type { BlockIDFlag } from '../proto/gen/tendermint/types/validator_pb.ts'
import { ConsensusSchema } from '../proto/gen/tendermint/version/types_pb.ts'
import { finalizeRequestKey } from '../store/keys.ts'
import type { Consensus } from '../app/environment.ts'
import { readBlockContent } from '../app/index/finalize-request.ts'
import { LIGHT_COST } from './answer-cost.ts'
import type { ChainView } from './chain-view.ts'
import { base64, big, hex, int, list, type Node, node, text, timestamp } from './comet-json.ts'

/** A block in the form of CometBFT's JSON, its transactions apart. */
interface DecidedBlock {
  readonly blockId: Node
  readonly header: Node
  readonly lastCommit: Node
  readonly transactions: readonly Uint8Array[]
}

const commitRoute = (height: number): string => `commit?height=${height}`

/** What CometBFT is asked for a long block: the commit of a block is told by the one behind it. */
export const commitRoutes = (height: number): readonly string[] =>
  height > 1 ? [commitRoute(height), commitRoute(height - 1)] : [commitRoute(height)]

const blockId = (value: Node) =>
  create(BlockIDSchema, {
    hash: hex(value, 'hash'),
    partSetHeader: create(PartSetHeaderSchema, {
      total: int(node(value, 'parts'), 'total'),
      hash: hex(node(value, 'parts'), 'hash'),
    }),
  })

/** What both forms of a header share. */
const headerFields = (header: Node) => ({
  version: create(ConsensusSchema, {
    block: big(node(header, 'version'), 'block'),
    app: big(node(header, 'version'), 'app'),
  }),
  chainId: text(header, 'chain_id'),
  height: big(header, 'height'),
  time: timestamp(header, 'time'),
  lastBlockId: blockId(node(header, 'last_block_id')),
  lastCommitHash: hex(header, 'last_commit_hash'),
  dataHash: hex(header, 'data_hash'),
  validatorsHash: hex(header, 'validators_hash'),
  nextValidatorsHash: hex(header, 'next_validators_hash'),
  consensusHash: hex(header, 'consensus_hash'),
  appHash: hex(header, 'app_hash'),
  lastResultsHash: hex(header, 'last_results_hash'),
  evidenceHash: hex(header, 'evidence_hash'),
})

const commit = (value: Node) =>
  create(CommitSchema, {
    height: big(value, 'height'),
    round: int(value, 'round'),
    blockId: blockId(node(value, 'block_id')),
    signatures: list(value, 'signatures').map((signature) =>
      create(CommitSigSchema, {
        blockIdFlag: int(signature, 'block_id_flag') as BlockIDFlag,
        validatorAddress: hex(signature, 'validator_address'),
        timestamp: timestamp(signature, 'timestamp'),
        signature: base64(text(signature, 'signature')),
      }),
    ),
  })

const blockMessages = ({ blockId: id, header, lastCommit, transactions }: DecidedBlock) => {
  const shared = {
    data: create(DataSchema, { txs: [...transactions] }),
    evidence: create(EvidenceListSchema),
    lastCommit: commit(lastCommit),
  }
  const proposer = hex(header, 'proposer_address')
  return {
    blockId: blockId(id),
    block: create(BlockSchema, {
      ...shared,
      header: create(HeaderSchema, { ...headerFields(header), proposerAddress: proposer }),
    }),
    sdkBlock: create(SdkBlockSchema, {
      ...shared,
      header: create(SdkHeaderSchema, {
        ...headerFields(header),
        proposerAddress: proposer.length === 0 ? '' : encodeBech32(proposer, 'natvalcons'),
      }),
    }),
  }
}

/** What CometBFT answers to `block`. */
const fromReply = (result: unknown): DecidedBlock => {
  const block = node(result, 'block')
  return {
    blockId: node(result, 'block_id'),
    header: node(block, 'header'),
    lastCommit: node(block, 'last_commit'),
    transactions: list(node(block, 'data'), 'txs').map((tx) => base64(String(tx))),
  }
}

/** Undefined where CometBFT has no such commit, as of the blocks before a snapshot. */
const readCommit = async (consensus: Consensus, height: number): Promise<Node | undefined> => {
  try {
    const { header, commit: own } = node(await consensus.consensusRpc(commitRoute(height)), 'signed_header')
    return header === undefined || own === undefined ? undefined : { header, commit: own }
  } catch {
    // It is asked for the whole block then, and says what is wrong.
    return undefined
  }
}

/** Undefined where one of the parts is missing. */
const fromOwnStore = async (
  consensus: Consensus,
  { reader }: ChainView,
  height: number,
): Promise<DecidedBlock | undefined> => {
  const content = readBlockContent(reader.store, height)
  if (content === undefined) return undefined
  const own = await readCommit(consensus, height)
  if (own === undefined) return undefined
  const header = node(own, 'header')
  const isFirst = text(node(header, 'last_block_id'), 'hash') === ''
  const before = isFirst ? {} : await readCommit(consensus, height - 1)
  if (before === undefined) return undefined
  const { transactions } = content
  return { blockId: node(node(own, 'commit'), 'block_id'), header, lastCommit: node(before, 'commit'), transactions }
}

/** Whether the transactions of a block are many, or long. */
export const isLongBlock = ({ reader }: ChainView, height: number): boolean => {
  const record = reader.header(height)
  if (record === undefined) return false
  if (record.sizeBytes > LIGHT_COST) return true
  return (reader.store.get('blocks', finalizeRequestKey(height))?.length ?? 0) > LIGHT_COST
}

/** Throws what CometBFT says of a block that it has not. */
export const decidedBlock = async (consensus: Consensus, view: ChainView, height: number) => {
  const own = isLongBlock(view, height) ? await fromOwnStore(consensus, view, height) : undefined
  return blockMessages(own ?? fromReply(await consensus.consensusRpc(`block?height=${height}`)))
}

/** The newest block that CometBFT has: before the first one is committed here. */
export const newestBlock = async (consensus: Consensus) =>
  blockMessages(fromReply(await consensus.consensusRpc('block')))

const { method: cometMethod } = cometQuery.Service
const { method: txMethod } = txService.Service
const BLOCK_BY_HEIGHT = `/${cometQuery.Service.typeName}/${cometMethod.getBlockByHeight.name}`
const LATEST_BLOCK = `/${cometQuery.Service.typeName}/${cometMethod.getLatestBlock.name}`
const BLOCK_WITH_TXS = `/${txService.Service.typeName}/${txMethod.getBlockWithTxs.name}`

/** The height of the block that stands as a whole in an answer; undefined for other questions, and where there is no such block. Throws grpc/3. */
export const wholeBlockOf = (path: string, request: Uint8Array, head: number): number | undefined => {
  let height = 0n
  if (path === LATEST_BLOCK) height = BigInt(head)
  else if (path === BLOCK_BY_HEIGHT) ({ height } = decodeRequest(cometMethod.getBlockByHeight.input, request))
  else if (path === BLOCK_WITH_TXS) ({ height } = decodeRequest(txMethod.getBlockWithTxs.input, request))
  return height < 1n || height > BigInt(head) ? undefined : Number(height)
}
