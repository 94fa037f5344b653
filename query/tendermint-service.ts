/** cosmos.base.tendermint.v1beta1.Service from CometBFT's own RPC: node info, syncing, blocks. */
import { create, toBinary } from '@bufbuild/protobuf'
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
  DefaultNodeInfoOtherSchema,
  DefaultNodeInfoSchema,
  ProtocolVersionSchema,
} from '../proto/gen/tendermint/p2p/types_pb.ts'
import { cometQuery } from '../proto/index.ts'
import type { Consensus } from '../app/environment.ts'
import { BLOCK_RESULTS, blockResults } from './block-results.ts'
import { big, hex, node, text } from './comet-json.ts'
import type { ChainView } from './chain-view.ts'
import { decidedBlock, newestBlock } from './decided-block.ts'
import { validatorSet } from './validator-set.ts'

export const TENDERMINT_SERVICE = '/cosmos.base.tendermint.v1beta1.Service/'

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

type Answer = (environment: Consensus, view: ChainView, request: Uint8Array) => Promise<Uint8Array>

const { method } = cometQuery.Service

const ANSWERS: Readonly<Record<string, Answer>> = {
  GetNodeInfo: async (environment) =>
    toBinary(GetNodeInfoResponseSchema, nodeInfo(await environment.consensusRpc('status'))),
  GetSyncing: async (environment) =>
    toBinary(GetSyncingResponseSchema, syncing(await environment.consensusRpc('status'))),
  GetLatestBlock: async (environment, view) => {
    const block = await (view.head === 0 ? newestBlock(environment) : decidedBlock(environment, view, view.head))
    return toBinary(GetLatestBlockResponseSchema, create(GetLatestBlockResponseSchema, block))
  },
  GetBlockByHeight: async (environment, view, request) => {
    const { height } = decodeRequest(GetBlockByHeightRequestSchema, request)
    checkHeight(height, view.head)
    const block = await decidedBlock(environment, view, Number(height))
    return toBinary(GetBlockByHeightResponseSchema, create(GetBlockByHeightResponseSchema, block))
  },
  GetLatestValidatorSet: async (environment, { head }, request) => {
    const { output, input } = method.getLatestValidatorSet
    const { pagination } = decodeRequest(input, request)
    return toBinary(output, create(output, await validatorSet(environment, head, pagination)))
  },
  GetValidatorSetByHeight: async (environment, { head }, request) => {
    const { output, input } = method.getValidatorSetByHeight
    const { height, pagination } = decodeRequest(input, request)
    checkHeight(height, head)
    return toBinary(output, create(output, await validatorSet(environment, Number(height), pagination)))
  },
  GetLatestBlockResults: async (environment, { head }) =>
    toBinary(BLOCK_RESULTS, await blockResults(environment, BigInt(head))),
  GetBlockResults: async (environment, { head }, request) => {
    const { height } = decodeRequest(method.getBlockResults.input, request)
    checkHeight(height, head)
    return toBinary(BLOCK_RESULTS, await blockResults(environment, height))
  },
}

/** Answers one method of the service, as of the head of the view. Throws grpc/3, grpc/12 for unserved methods. */
export const tendermintService = async (
  environment: Consensus,
  view: ChainView,
  path: string,
  request: Uint8Array,
): Promise<Uint8Array> => {
  const answer = ANSWERS[path.slice(TENDERMINT_SERVICE.length)]
  if (answer === undefined) throw queryRefusal('unimplemented', `unknown method ${path}`)
  return await answer(environment, view, request)
}
