/** What a proposal begins with: the vote extensions of the last commit, and the orders that they oblige the block to hold. */
import { readConsensusParameters, readValidators } from '../modules/consensus/index.ts'
import { listOfBlock, proposeOrders } from '../modules/clob/index.ts'
import { extensionCapBytes } from './attestations/cap.ts'
import { carriesExtensions, encodeInjected, readAttestations } from './attestations/injected.ts'
import type { Chain } from './block/chain.ts'
import type { Log } from './environment.ts'
import { planInputOf } from './orders/block-plan.ts'
import type { Orders } from './orders/orders.ts'
import type { PrepareProposalRequest } from './ports.ts'
import type { BlockContent } from './records/content.ts'

export interface LeadingOptions {
  readonly orders: Orders
  readonly log: Log
}

/** The first transaction of a proposal; undefined where it has no room. */
const inject = (chain: Chain, request: PrepareProposalRequest, log: Log): Uint8Array | undefined => {
  const { height, lastCommitRound, maxTxBytes, votes } = request
  const { chainId } = chain.parameters
  const validators = readValidators(chain.state, height - 1)
  const verify = chain.verifyExtension
  const capBytes = extensionCapBytes(chain.state, height - 1)
  const context = { chainId, height, lastCommitRound, validators, capBytes, verify, maxTxBytes }
  const injected = encodeInjected(votes, context)
  if (injected === undefined) log.error('no room for the vote extensions of the last commit', { height, maxTxBytes })
  else if (injected.leftOut > 0) log.warn('vote extensions left out', { height, count: injected.leftOut })
  return injected?.raw
}

/** What the votes oblige this block to hold of the order book, as far as this node has it. */
const obligedOrders = (
  chain: Chain,
  content: Omit<BlockContent, 'transactions'>,
  injected: Uint8Array,
  orders: Orders,
): readonly Uint8Array[] => {
  const attestations = readAttestations(chain, content, injected)
  // Those of too little power: the block is refused whatever it holds.
  if (typeof attestations === 'string') return []
  const list = listOfBlock(planInputOf(chain, content, attestations, (raw) => orders.readBody(raw)))
  return proposeOrders(list, (listed) => orders.findBody(listed)).map(({ raw }) => raw)
}

/** Undefined where the block must carry extensions and has no room for them: no other node would accept one without. */
export const leadingTransactions = (
  chain: Chain,
  request: PrepareProposalRequest,
  content: Omit<BlockContent, 'transactions'>,
  { orders, log }: LeadingOptions,
): readonly Uint8Array[] | undefined => {
  const { initialHeight } = chain.parameters
  if (!carriesExtensions(readConsensusParameters(chain.state), request.height, initialHeight)) return []
  const injected = inject(chain, request, log)
  return injected === undefined ? undefined : [injected, ...obligedOrders(chain, content, injected, orders)]
}
