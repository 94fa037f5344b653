/** Keys that trade for an owner, and never withdraw. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { type Agent, MAX_AGENTS } from '../domain/account.ts'
import { MAX_AGENT_MARKETS, MAX_AGENT_NAME_BYTES } from '../domain/agent-rules.ts'
import { AGENT_PREFIX, agentKey, agentPrefix, CLOB_ACCOUNT } from '../keys.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'
import { scanValues } from './scan.ts'

export interface OwnedAgent {
  readonly owner: Address
  readonly address: Address
  readonly agent: Agent
}

const OWNER_END = AGENT_PREFIX.length + ADDRESS_LENGTH

const decodeAgent = (value: Uint8Array): Agent =>
  RlpReader.list(value, 'agent').whole((fields) => ({
    name: fields.text(MAX_AGENT_NAME_BYTES),
    expireS: fields.uint(Number.MAX_SAFE_INTEGER),
    markets: fields.list(MAX_AGENT_MARKETS, (markets) => markets.uint(MAX_UINT32)),
  }))

const ownedAgent = (key: Uint8Array, value: Uint8Array): OwnedAgent => {
  invariant(key.length === OWNER_END + ADDRESS_LENGTH, 'the key of an agent is damaged')
  return { owner: key.slice(AGENT_PREFIX.length, OWNER_END), address: key.slice(OWNER_END), agent: decodeAgent(value) }
}

/** Also one that has expired: whoever asks compares the time. */
export const readAgent = (state: StateReader, owner: Address, agent: Address): Agent | undefined => {
  const value = state.value(CLOB_ACCOUNT, agentKey(owner, agent))
  return value === undefined ? undefined : decodeAgent(value)
}

/** Undefined removes it. */
export const writeAgent = (state: StateWriter, owner: Address, address: Address, agent: Agent | undefined): void => {
  const value =
    agent === undefined ? undefined : encodeRlp([utf8ToBytes(agent.name), uint(agent.expireS), agent.markets.map(uint)])
  state.setValue(CLOB_ACCOUNT, agentKey(owner, address), value)
}

/** All agents of an owner, by address: at most 16. */
export const listAgents = (state: StateReader, owner: Address): readonly OwnedAgent[] =>
  state.values(CLOB_ACCOUNT, agentPrefix(owner), MAX_AGENTS).map(([key, value]) => ownedAgent(key, value))

/** The agents of all owners. */
export function* scanAgents(state: StateReader): Generator<OwnedAgent, void> {
  for (const [key, value] of scanValues(state, AGENT_PREFIX)) yield ownedAgent(key, value)
}
