/** Keys that trade for an owner, and never withdraw. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { compareBytes, equalBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { type Agent, MAX_AGENTS } from '../domain/account.ts'
import { MAX_AGENT_MARKETS, MAX_AGENT_NAME_BYTES } from '../domain/agent-rules.ts'
import { AGENT_PREFIX, agentKey, agentsOfKey, CLOB_ACCOUNT, OWNED_PREFIX } from '../keys.ts'
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

const decodeAddresses = (value: Uint8Array): readonly Address[] =>
  RlpReader.list(value, 'agents of an owner').rest(MAX_AGENTS, (addresses) => addresses.address())

/** The addresses of an owner's agents, ascending: at most 16. */
export const readAgentAddresses = (state: StateReader, owner: Address): readonly Address[] => {
  const value = state.value(CLOB_ACCOUNT, agentsOfKey(owner))
  return value === undefined ? [] : decodeAddresses(value)
}

const writeAgentAddresses = (state: StateWriter, owner: Address, addresses: readonly Address[]): void =>
  state.setValue(CLOB_ACCOUNT, agentsOfKey(owner), addresses.length === 0 ? undefined : encodeRlp(addresses))

/** Undefined removes it. An owner has at most 16. */
export const writeAgent = (state: StateWriter, owner: Address, address: Address, agent: Agent | undefined): void => {
  const addresses = readAgentAddresses(state, owner)
  const others = addresses.filter((each) => !equalBytes(each, address))
  if (agent === undefined) {
    state.setValue(CLOB_ACCOUNT, agentKey(owner, address), undefined)
    if (others.length < addresses.length) writeAgentAddresses(state, owner, others)
    return
  }
  const value = encodeRlp([utf8ToBytes(agent.name), uint(agent.expireS), agent.markets.map(uint)])
  state.setValue(CLOB_ACCOUNT, agentKey(owner, address), value)
  if (others.length === addresses.length) {
    writeAgentAddresses(state, owner, [...addresses, address].toSorted(compareBytes))
  }
}

/** All agents of an owner, by address: at most 16. */
export const listAgents = (state: StateReader, owner: Address): readonly OwnedAgent[] =>
  readAgentAddresses(state, owner).map((address) => {
    const agent = readAgent(state, owner, address)
    invariant(agent !== undefined, 'each address among the agents of an owner is that of an agent')
    return { owner, address, agent }
  })

/** The agents of all owners. */
export function* scanAgents(state: StateReader): Generator<OwnedAgent, void> {
  for (const [key, value] of scanValues(state, AGENT_PREFIX)) yield ownedAgent(key, value)
}

/** The lists of all owners. */
export function* scanAgentAddresses(state: StateReader): Generator<Pick<OwnedAgent, 'owner' | 'address'>, void> {
  for (const [key, value] of scanValues(state, OWNED_PREFIX)) {
    for (const address of decodeAddresses(value)) yield { owner: key.slice(OWNED_PREFIX.length), address }
  }
}
