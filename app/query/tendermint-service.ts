/** cosmos.base.tendermint.v1beta1.Service from CometBFT's own RPC: node info, syncing, blocks. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { plainBytes } from '../../core/bytes.ts'
import {
  GetBlockByHeightRequestSchema,
  GetBlockByHeightResponseSchema,
  GetLatestBlockResponseSchema,
  GetNodeInfoResponseSchema,
  GetSyncingResponseSchema,
  VersionInfoSchema,
} from '../../proto/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import {
  BlockSchema as SdkBlockSchema,
  HeaderSchema as SdkHeaderSchema,
} from '../../proto/gen/cosmos/base/tendermint/v1beta1/types_pb.ts'
import {
  DefaultNodeInfoOtherSchema,
  DefaultNodeInfoSchema,
  ProtocolVersionSchema,
} from '../../proto/gen/tendermint/p2p/types_pb.ts'
import { BlockSchema } from '../../proto/gen/tendermint/types/block_pb.ts'
import { EvidenceListSchema } from '../../proto/gen/tendermint/types/evidence_pb.ts'
import {
  BlockIDSchema,
  CommitSchema,
  CommitSigSchema,
  DataSchema,
  HeaderSchema,
  PartSetHeaderSchema,
} from '../../proto/gen/tendermint/types/types_pb.ts'
import type { BlockIDFlag } from '../../proto/gen/tendermint/types/validator_pb.ts'
import { ConsensusSchema } from '../../proto/gen/tendermint/version/types_pb.ts'
import type { Environment } from '../environment.ts'

export const TENDERMINT_SERVICE = '/cosmos.base.tendermint.v1beta1.Service/'

/** JSON of CometBFT's RPC, read without trust in its shape: what is missing is empty. */
type Node = { readonly [key: string]: unknown }

const node = (value: unknown, key: string): Node => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'object' && child !== null ? (child as Node) : {}
}
const text = (value: unknown, key: string): string => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'string' ? child : ''
}
const list = (value: unknown, key: string): readonly unknown[] => {
  const child = (value as Node | undefined)?.[key]
  return Array.isArray(child) ? child : []
}
const hex = (value: unknown, key: string): Uint8Array => plainBytes(Buffer.from(text(value, key), 'hex'))
const base64 = (value: string): Uint8Array => plainBytes(Buffer.from(value, 'base64'))
const big = (value: unknown, key: string): bigint => {
  const digits = text(value, key)
  return /^-?[0-9]+$/.test(digits) ? BigInt(digits) : 0n
}
const int = (value: unknown, key: string): number => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'number' && Number.isSafeInteger(child) ? child : 0
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
const daysFromCivil = (year: number, month: number, day: number): number => {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** RFC 3339 in UTC with up to nine decimals, as CometBFT writes times. */
const timestamp = (value: unknown, key: string): Timestamp => {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text(value, key))
  if (match === null) return create(TimestampSchema)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return create(TimestampSchema, {
    seconds: BigInt(daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second),
    nanos: Number((match[7] ?? '').padEnd(9, '0')),
  })
}

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

/** Answers one method of the service, as of the committed height `head`. Throws grpc/3, grpc/12 for unserved methods. */
export const tendermintService = async (
  environment: Environment,
  head: number,
  path: string,
  request: Uint8Array,
): Promise<Uint8Array> => {
  switch (path.slice(TENDERMINT_SERVICE.length)) {
    case 'GetNodeInfo':
      return toBinary(GetNodeInfoResponseSchema, nodeInfo(await environment.consensusRpc('status')))
    case 'GetSyncing':
      return toBinary(GetSyncingResponseSchema, syncing(await environment.consensusRpc('status')))
    case 'GetLatestBlock': {
      const response = create(GetLatestBlockResponseSchema, blockResponse(await environment.consensusRpc('block')))
      return toBinary(GetLatestBlockResponseSchema, response)
    }
    case 'GetBlockByHeight': {
      const { height } = fromBinary(GetBlockByHeightRequestSchema, request)
      if (height <= 0n) throw new CodedError('grpc', 3, 'the height must be positive')
      if (height > head) throw new CodedError('grpc', 3, 'requested block height is bigger then the chain length')
      const response = create(
        GetBlockByHeightResponseSchema,
        blockResponse(await environment.consensusRpc(`block?height=${height}`)),
      )
      return toBinary(GetBlockByHeightResponseSchema, response)
    }
    default:
      throw new CodedError('grpc', 12, `unknown method ${path}`)
  }
}
