/** cosmos.base.tendermint.v1beta1.Service from CometBFT's own RPC: node info, syncing, blocks. */
import { create, toBinary } from '@bufbuild/protobuf'
import { encodeBech32 } from '../core/bech32.ts'
import { decodeRequest } from '../modules/handlers.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import {
  GetBlockByHeightRequestSchema,
  GetBlockByHeightResponseSchema,
  GetLatestBlockResponseSchema,
  GetNodeInfoResponseSchema,
  GetSyncingResponseSchema,
  VersionInfoSchema,
} from '../proto/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import {
  BlockSchema as SdkBlockSchema,
  HeaderSchema as SdkHeaderSchema,
} from '../proto/gen/cosmos/base/tendermint/v1beta1/types_pb.ts'
import {
  DefaultNodeInfoOtherSchema,
  DefaultNodeInfoSchema,
  ProtocolVersionSchema,
} from '../proto/gen/tendermint/p2p/types_pb.ts'
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
import { cometQuery } from '../proto/index.ts'
import type { BlockIDFlag } from '../proto/gen/tendermint/types/validator_pb.ts'
import { ConsensusSchema } from '../proto/gen/tendermint/version/types_pb.ts'
import type { Consensus } from '../app/environment.ts'
import { BLOCK_RESULTS, blockResults } from './block-results.ts'
import { base64, big, hex, int, list, type Node, node, text, timestamp } from './comet-json.ts'
import { validatorSet } from './validator-set.ts'

export const TENDERMINT_SERVICE = '/cosmos.base.tendermint.v1beta1.Service/'

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

export const blockResponse = (result: unknown) => {
  const block = node(result, 'block')
  const header = node(block, 'header')
  const shared = {
    data: create(DataSchema, { txs: list(node(block, 'data'), 'txs').map((tx) => base64(String(tx))) }),
    evidence: create(EvidenceListSchema),
    lastCommit: commit(node(block, 'last_commit')),
  }
  const proposer = hex(header, 'proposer_address')
  return {
    blockId: blockId(node(result, 'block_id')),
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

const nodeInfo = (status: unknown) => {
  const info = node(status, 'node_info')
  const protocol = node(info, 'protocol_version')
  return create(GetNodeInfoResponseSchema, {
    defaultNodeInfo: create(DefaultNodeInfoSchema, {
      protocolVersion: create(ProtocolVersionSchema, {
        p2p: big(protocol, 'p2p'),
        block: big(protocol, 'block'),
        app: big(protocol, 'app'),
      }),
      defaultNodeId: text(info, 'id'),
      listenAddr: text(info, 'listen_addr'),
      network: text(info, 'network'),
      version: text(info, 'version'),
      channels: hex(info, 'channels'),
      moniker: text(info, 'moniker'),
      other: create(DefaultNodeInfoOtherSchema, {
        txIndex: text(node(info, 'other'), 'tx_index'),
        rpcAddress: text(node(info, 'other'), 'rpc_address'),
      }),
    }),
    applicationVersion: create(VersionInfoSchema, { name: 'nat-chain', appName: 'chain' }),
  })
}

const syncing = (status: unknown) => {
  const info = node(status, 'sync_info')
  return create(GetSyncingResponseSchema, {
    syncing: info['catching_up'] === true,
    earliestBlockHeight: big(info, 'earliest_block_height'),
    latestBlockHeight: big(info, 'latest_block_height'),
  })
}

/** CometBFT's blocks are asked for by height, the newest being the committed one. */
const checkHeight = (height: bigint, head: number): void => {
  if (height <= 0n) throw queryRefusal('invalidArgument', `height must be greater than 0, but got ${height}`)
  if (height > head) throw queryRefusal('invalidArgument', 'requested block height is bigger than the chain length')
}

type Answer = (environment: Consensus, head: number, request: Uint8Array) => Promise<Uint8Array>

const { method } = cometQuery.Service

const ANSWERS: Readonly<Record<string, Answer>> = {
  GetNodeInfo: async (environment) =>
    toBinary(GetNodeInfoResponseSchema, nodeInfo(await environment.consensusRpc('status'))),
  GetSyncing: async (environment) =>
    toBinary(GetSyncingResponseSchema, syncing(await environment.consensusRpc('status'))),
  GetLatestBlock: async (environment) => {
    const response = create(GetLatestBlockResponseSchema, blockResponse(await environment.consensusRpc('block')))
    return toBinary(GetLatestBlockResponseSchema, response)
  },
  GetBlockByHeight: async (environment, head, request) => {
    const { height } = decodeRequest(GetBlockByHeightRequestSchema, request)
    checkHeight(height, head)
    const block = blockResponse(await environment.consensusRpc(`block?height=${height}`))
    return toBinary(GetBlockByHeightResponseSchema, create(GetBlockByHeightResponseSchema, block))
  },
  GetLatestValidatorSet: async (environment, head, request) => {
    const { output, input } = method.getLatestValidatorSet
    const { pagination } = decodeRequest(input, request)
    return toBinary(output, create(output, await validatorSet(environment, head, pagination)))
  },
  GetValidatorSetByHeight: async (environment, head, request) => {
    const { output, input } = method.getValidatorSetByHeight
    const { height, pagination } = decodeRequest(input, request)
    checkHeight(height, head)
    return toBinary(output, create(output, await validatorSet(environment, Number(height), pagination)))
  },
  GetLatestBlockResults: async (environment, head) =>
    toBinary(BLOCK_RESULTS, await blockResults(environment, BigInt(head))),
  GetBlockResults: async (environment, head, request) => {
    const { height } = decodeRequest(method.getBlockResults.input, request)
    checkHeight(height, head)
    return toBinary(BLOCK_RESULTS, await blockResults(environment, height))
  },
}

/** Answers one method of the service, as of the committed height `head`. Throws grpc/3, grpc/12 for unserved methods. */
export const tendermintService = async (
  environment: Consensus,
  head: number,
  path: string,
  request: Uint8Array,
): Promise<Uint8Array> => {
  const answer = ANSWERS[path.slice(TENDERMINT_SERVICE.length)]
  if (answer === undefined) throw queryRefusal('unimplemented', `unknown method ${path}`)
  return await answer(environment, head, request)
}
