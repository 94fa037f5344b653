/** What an owner may say of an agent: checked in its message and in a genesis. */
import { type Address, ZERO_ADDRESS } from '../../../core/address.ts'
import { equalBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { clobError } from '../errors.ts'
import type { Agent } from './account.ts'

export const MAX_AGENT_NAME_BYTES = 32
export const MAX_AGENT_MARKETS = 64

const MAX_UINT32 = 0xffff_ffff

/** Throws clob/28. */
export const checkAgent = (owner: Address, address: Address, { name, expireS, markets }: Agent): void => {
  if (equalBytes(owner, address) || equalBytes(address, ZERO_ADDRESS)) {
    throw clobError('agentTerms', 'an agent is neither its owner nor the zero address')
  }
  // A text that is not well-formed would be another one once it is written.
  if (!name.isWellFormed() || utf8ToBytes(name).length > MAX_AGENT_NAME_BYTES) {
    throw clobError('agentTerms', `the name of an agent has at most ${MAX_AGENT_NAME_BYTES} bytes of UTF-8`)
  }
  if (!Number.isSafeInteger(expireS) || expireS < 0) throw clobError('agentTerms', 'expire_s is out of range')
  const ascend = markets.every((market, index) => market > (markets[index - 1] ?? 0) && market <= MAX_UINT32)
  if (!ascend || markets.length > MAX_AGENT_MARKETS) {
    throw clobError('agentTerms', `the markets of an agent are at most ${MAX_AGENT_MARKETS}, ascending`)
  }
}
