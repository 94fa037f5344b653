/** MsgSetAgent: an owner lets a key trade for it until a time, changes what the key may do, or takes it back. */
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { clobMsg } from '../../../proto/index.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageContext, MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { type Agent, MAX_AGENTS } from '../domain/account.ts'
import { checkAgent } from '../domain/agent-rules.ts'
import { clobError } from '../errors.ts'
import { agentSet } from '../events.ts'
import { readAgentAddresses, readMarket, writeAgent } from '../keeper/index.ts'

const NS_PER_SECOND = 1_000_000_000n
/** The gas of each market that is looked up. */
const GAS_PER_MARKET = 2_100n

interface AgentChange {
  readonly owner: Address
  readonly address: Address
  readonly agent: Agent
}

/** Throws sdk/7. */
const parseAddress = (text: string, whose: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${whose} address: ${error.message}`)
  }
}

/** Throws sdk/7 and clob/28. */
const parse = ({ owner: ownerText, agent: agentText, name, expireS, markets }: clobMsg.MsgSetAgent): AgentChange => {
  const owner = parseAddress(ownerText, 'owner')
  const address = parseAddress(agentText, 'agent')
  const agent = { name, expireS: Number(expireS), markets }
  checkAgent(owner, address, agent)
  if (agent.expireS === 0 && (name !== '' || markets.length > 0)) {
    throw clobError('agentTerms', 'an agent that is removed has neither name nor markets')
  }
  return { owner, address, agent }
}

/** Throws clob/25, clob/29 and clob/30. */
const checkState = ({ state, timeNs, consumeGas }: MessageContext, { agent }: AgentChange, others: number): void => {
  if (BigInt(agent.expireS) <= timeNs / NS_PER_SECOND) {
    throw clobError('agentExpired', `the agent would expire at ${agent.expireS}, which is past`)
  }
  if (others >= MAX_AGENTS) {
    throw clobError('tooManyAgents', `an owner has at most ${MAX_AGENTS} agents`)
  }
  consumeGas(GAS_PER_MARKET * BigInt(agent.markets.length), 'markets of an agent')
  for (const market of agent.markets) {
    if (readMarket(state, market) === undefined) throw clobError('noMarket', `there is no market ${market}`)
  }
}

export const SET_AGENT: MessageHandler = handleParsed(clobMsg.Msg.method.setAgent, {
  parse,
  execute: (context, change) => {
    const { owner, address, agent } = change
    const { state, emit } = context
    const held = readAgentAddresses(state, owner)
    const others = held.filter((each) => !equalBytes(each, address)).length
    if (agent.expireS > 0) checkState(context, change, others)
    else if (others === held.length) throw clobError('unknownAgent', 'there is no agent with this address')
    writeAgent(state, owner, address, agent.expireS === 0 ? undefined : agent)
    emit(agentSet(owner, address, agent.expireS))
    return {}
  },
})
