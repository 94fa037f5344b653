/** Those who have the validators of an order chain: they change its rules, and how much power each of them has, while people trade. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { PrivateKeyAccount } from 'viem/accounts'
import { moduleAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../../modules/clob/index.ts'
import { settingsForm } from '../../../modules/clob/forms/market.ts'
import { readMarket } from '../../../modules/clob/index.ts'
import { POWER_REDUCTION } from '../../../modules/stake.ts'
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { clobMsg, govTx, stakingTx } from '../../../proto/index.ts'
import { bech32Of, type Packed, signNative } from '../native-transactions.ts'
import type { Random } from '../random.ts'
import type { SimNode } from '../sim-node.ts'
import { committedState, gossip, pendingNonce, type World } from '../world.ts'

const AUTHORITY = encodeBech32(moduleAddress('gov'))
const DEPOSIT = { denom: 'anat', amount: '10000000' }

/** What takes days elsewhere takes seconds here. */
export const QUICK_GOVERNANCE = {
  gov: {
    params: {
      voting_period: '3s',
      expedited_voting_period: '2s',
      max_deposit_period: '3s',
      min_deposit: [DEPOSIT],
      expedited_min_deposit: [{ denom: 'anat', amount: '20000000' }],
    },
  },
} as const

const pack = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, message)),
})

export class Governors {
  readonly #world: World
  readonly #random: Random
  readonly #accounts: readonly PrivateKeyAccount[]
  #proposals = 0

  constructor(world: World, random: Random, count: number) {
    this.#world = world
    this.#random = random
    this.#accounts = world.accounts.slice(0, count)
  }

  /** A few messages for the next block. */
  async act(): Promise<void> {
    const random = this.#random
    if (random.chance(40)) await this.#propose()
    if (random.chance(60)) await this.#delegate()
  }

  async #propose(): Promise<void> {
    const [first] = this.#accounts
    if (first === undefined) return
    const { typeUrl, value } = this.#change()
    const messages = [{ typeUrl, value }]
    const proposer = bech32Of(first)
    const proposal = { messages, initialDeposit: [DEPOSIT], proposer, title: 'a change', summary: 'of the rules' }
    if (
      !(await this.#send(first, pack(govTx.MsgSubmitProposalSchema, { ...proposal, metadata: '', expedited: false })))
    )
      return
    const proposalId = BigInt(++this.#proposals)
    for (const account of this.#accounts) {
      await this.#send(account, pack(govTx.MsgVoteSchema, { proposalId, voter: bech32Of(account), option: 1 }))
    }
  }

  /** What a vote or a block may be while it is being made. */
  #change(): Packed {
    const random = this.#random
    const kind = random.below(4)
    if (kind === 0) {
      return pack(stakingTx.MsgUpdateParamsSchema, {
        authority: AUTHORITY,
        params: {
          unbondingTime: { seconds: 60n },
          maxValidators: 2 + random.below(6),
          maxEntries: 7,
          historicalEntries: 100,
          bondDenom: 'anat',
          minCommissionRate: '0',
        },
      })
    }
    const market =
      kind === 1 ? readMarket(committedState(this.#world.nodes[0] as SimNode), 1 + random.below(2)) : undefined
    if (market !== undefined) {
      const status = random.pick(['active', 'active', 'post_only', 'cancel_only', 'halted'] as const)
      const settings = settingsForm({ ...market, status, mode: random.pick(['continuous', 'uniform']) })
      return pack(clobMsg.MsgUpdateMarketSchema, { authority: AUTHORITY, market: market.id, settings })
    }
    return pack(clobMsg.MsgUpdateParamsSchema, {
      authority: AUTHORITY,
      params: {
        ...DEFAULT_CLOB_PARAMETERS,
        extensionBudgetBytes: random.pick([64, 512, 1_024]) * 1_024,
        minAgeMs: random.pick([0, 50, 500]),
        bucketMs: random.pick([1, 10, 1_000]),
        blockWeight: random.pick([4_000, 40_000]),
        maxOpenOrders: random.pick([1, 500]),
        maxRemovals: random.pick([1, 2_000]),
      },
    })
  }

  /** Powers change, and with few places so do the validators. */
  async #delegate(): Promise<void> {
    const random = this.#random
    const account = random.pick(this.#accounts)
    const validatorAddress = formatOperator(hexToBytes(random.pick(this.#accounts).address))
    const amount = { denom: 'anat', amount: (BigInt(1 + random.below(30)) * POWER_REDUCTION).toString() }
    await this.#send(
      account,
      pack(stakingTx.MsgDelegateSchema, { delegatorAddress: bech32Of(account), validatorAddress, amount }),
    )
  }

  async #send(account: PrivateKeyAccount, message: Packed): Promise<boolean> {
    const { nodes, driver } = this.#world
    const sequence = await pendingNonce(nodes[0] as SimNode, account)
    const signers = [{ account, sequence }]
    return gossip(
      nodes,
      await signNative({ chainId: driver.setup.chainId, messages: [message], signers, gas: 900_000n }),
    )
  }
}
