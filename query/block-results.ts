/** What the application answered to a block, as CometBFT keeps it. */
import { create, fromJson, type JsonObject, type JsonValue, type MessageShape } from '@bufbuild/protobuf'
import { abci, cometParams, cometQuery } from '../proto/index.ts'
import type { Consensus } from '../app/environment.ts'
import { base64, list, node, text } from './comet-json.ts'

export const BLOCK_RESULTS = cometQuery.GetBlockResultsResponseSchema

/** CometBFT writes protobuf's JSON with names of its own: nanoseconds for durations, null for what is empty. */
const JSON_OPTIONS = { ignoreUnknownFields: true } as const

const withoutNulls = (value: unknown): JsonValue => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}

const event = (value: unknown) => fromJson(abci.EventSchema, withoutNulls(value), JSON_OPTIONS)
const result = (value: unknown) => fromJson(abci.ExecTxResultSchema, withoutNulls(value), JSON_OPTIONS)

const update = (value: unknown) => {
  const key = node(node(node(value, 'pub_key'), 'Sum'), 'value')
  return create(abci.ValidatorUpdateSchema, {
    power: BigInt(text(value, 'power') || '0'),
    pubKey: { sum: { case: 'ed25519', value: base64(text(key, 'ed25519')) } },
  })
}

const NS_PER_SECOND = 1_000_000_000n

const parameters = (value: unknown): MessageShape<typeof cometParams.ConsensusParamsSchema> => {
  const json = withoutNulls(value) as JsonObject
  const { evidence } = json
  const ns = BigInt(text(evidence, 'max_age_duration') || '0')
  const duration = `${ns / NS_PER_SECOND}.${(ns % NS_PER_SECOND).toString().padStart(9, '0')}s`
  const changed =
    evidence === undefined ? json : { ...json, evidence: { ...(evidence as JsonObject), max_age_duration: duration } }
  return fromJson(cometParams.ConsensusParamsSchema, changed, JSON_OPTIONS)
}

export const blockResults = async (
  environment: Consensus,
  height: bigint,
): Promise<MessageShape<typeof BLOCK_RESULTS>> => {
  const answer = await environment.consensusRpc(`block_results?height=${height}`)
  const updates = (answer as { readonly consensus_param_updates?: unknown }).consensus_param_updates ?? undefined
  return create(BLOCK_RESULTS, {
    height,
    txsResults: list(answer, 'txs_results').map(result),
    finalizeBlockEvents: list(answer, 'finalize_block_events').map(event),
    validatorUpdates: list(answer, 'validator_updates').map(update),
    ...(updates === undefined ? {} : { consensusParamUpdates: parameters(updates) }),
    appHash: base64(text(answer, 'app_hash')),
  })
}
