/** Random native messages of a few people who stake, govern and move coins: many of them cannot succeed. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { encodeFunctionData, parseAbi } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bridgeKeyDigest, signForBridge } from '../../core/bridge-signature.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { privateKeyToAddress } from '../../core/signature.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../modules/clob/index.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import {
  admissionTx,
  type bridge,
  bridgeTx,
  bankTx,
  clobMsg,
  consensusTx,
  distributionTx,
  erc20Tx,
  ed25519,
  type gov,
  govBeta,
  govBetaTx,
  govTx,
  mintTx,
  slashingTx,
  stakingTx,
} from '../../proto/index.ts'
import { bech32Of, multiSendMessage, type Packed } from './native-transactions.ts'
import type { Event } from '../../modules/module.ts'
import type { Random } from './random.ts'
import { makeValidator, type Validator } from './validators.ts'

const NAT = 10n ** 18n
const GOVERNANCE = encodeBech32(moduleAddress('gov'))
/** Proposals that votes and deposits may name. */
const OPERATOR_ACTIONS: ReadonlySet<string> = new Set(['editValidator', 'unjail', 'withdrawCommission', 'bridgeKey'])
const RECENT_PROPOSALS = 6

/** An Ethereum transaction. */
export interface Call {
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
}

export interface Operation {
  readonly name: string
  readonly account: PrivateKeyAccount
  readonly messages: readonly Packed[]
  /** A call that stands in place of messages. */
  readonly call?: Call
}

const PRECOMPILES = parseAbi([
  'function delegate(address delegator, string validator, uint256 amount) returns (bool)',
  'function undelegate(address delegator, string validator, uint256 amount) returns (int64)',
  'function redelegate(address delegator, string source, string destination, uint256 amount) returns (int64)',
  'function claimRewards(address delegator, uint32 most) returns (bool)',
])
const STAKING: Hex = '0x0000000000000000000000000000000000000800'
const DISTRIBUTION: Hex = '0x0000000000000000000000000000000000000801'
/** Where contracts and transfers can push coins, whether anybody expects them or not. */
const PUSHED_INTO: readonly Hex[] = [
  ...['distribution', 'bonded_tokens_pool', 'not_bonded_tokens_pool', 'gov', 'mint', 'bank', 'staking'].map((name) =>
    bytesToHex(moduleAddress(name)),
  ),
  bytesToHex(FEE_COLLECTOR_ADDRESS),
]

const pack = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, message)),
})

const anyOf = ({ typeUrl, value }: Packed) => ({ typeUrl, value })
const anat = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })

const text = (value: string): Uint8Array => utf8ToBytes(value)

/** 18 digits without a point, as the fields of decimals carry them. */
const percent = (value: number): string => (BigInt(value) * 10n ** 16n).toString()

interface Unbonding {
  readonly delegator: string
  readonly validator: string
  readonly amount: bigint
  readonly height: number
}

/** Those remembered, of which some have matured. */
const MOST_UNBONDINGS = 10

type OperationName =
  | 'send'
  | 'createValidator'
  | 'editValidator'
  | 'delegate'
  | 'delegateMore'
  | 'undelegate'
  | 'redelegate'
  | 'cancelUnbonding'
  | 'unjail'
  | 'withdrawReward'
  | 'withdrawCommission'
  | 'setWithdrawAddress'
  | 'fundCommunityPool'
  | 'submitProposal'
  | 'submitText'
  | 'deposit'
  | 'vote'
  | 'voteAgain'
  | 'voteWeighted'
  | 'cancelProposal'
  | 'multiSend'
  | 'depositRewards'
  | 'bridgeWithdraw'
  | 'bridgeKey'
  | 'setAgent'
  | 'registerView'

type CallName = 'push' | 'callDelegate' | 'callUndelegate' | 'callRedelegate' | 'callClaim'

/** How many of 100 proposals that change a parameter set it to the last value that is allowed. */
const EXTREME = 15

/** How many of 100 operations are calls. */
const CALLS_PERCENT = 12
/** How many of 100 operations unjail while somebody is in jail. */
const UNJAIL_PERCENT = 5

export interface OperationsOptions {
  readonly random: Random
  readonly accounts: readonly PrivateKeyAccount[]
  /** Told of a key before its validator can be created. */
  readonly addKey: (validator: Validator) => void
  readonly validatorCount: number
}

export class Operations {
  readonly #random: Random
  readonly #accounts: readonly PrivateKeyAccount[]
  readonly #addKey: (validator: Validator) => void
  readonly #operators: string[]
  /** Operators by the native address of who delegated to them. */
  readonly #delegations = new Map<string, Set<string>>()
  /** What is on its way back to delegators. */
  readonly #unbondings: Unbonding[] = []
  /** Operators of validators in jail. */
  jailed: readonly Uint8Array[] = []
  #created = 0
  /** Keys of validators that were created, or were to be. */
  readonly #keys: Validator[] = []
  #newestProposal = 0
  #height = 0

  /** The first accounts operate the validators of the genesis. */
  constructor({ random, accounts, addKey, validatorCount }: OperationsOptions) {
    this.#random = random
    this.#accounts = accounts
    this.#addKey = addKey
    this.#operators = accounts.slice(0, validatorCount).map(({ address }) => formatOperator(hexToBytes(address)))
  }

  /** Learns from a block which validators and proposals there are. */
  note(height: number, events: readonly Event[]): void {
    this.#height = height
    for (const { type, attributes } of events) {
      const valueOf = (name: string): string | undefined => attributes.find(({ key }) => key === name)?.value
      const operator = type === 'create_validator' ? valueOf('validator') : undefined
      if (operator !== undefined && !this.#operators.includes(operator)) this.#operators.push(operator)
      const [delegator, validator] = [valueOf('delegator'), valueOf('validator')]
      if (type === 'delegate' && delegator !== undefined && validator !== undefined) {
        this.#delegations.set(delegator, (this.#delegations.get(delegator) ?? new Set()).add(validator))
      }
      const amount = /^([0-9]+)anat$/.exec(valueOf('amount') ?? '')?.[1]
      if (type === 'unbond' && delegator !== undefined && validator !== undefined && amount !== undefined) {
        this.#unbondings.push({ delegator, validator, amount: BigInt(amount), height })
        if (this.#unbondings.length > MOST_UNBONDINGS) this.#unbondings.shift()
      }
      if (type === 'submit_proposal')
        this.#newestProposal = Math.max(this.#newestProposal, Number(valueOf('proposal_id') ?? 0))
    }
  }

  /** One to three messages of one account: all of them or none take effect. */
  next(): Operation {
    if (this.#random.chance(CALLS_PERCENT)) {
      const name = this.#random.pick(Object.keys(this.#calls) as readonly CallName[])
      const account = this.#random.pick(this.#accounts)
      return { name, account, messages: [], call: this.#calls[name](account) }
    }
    if (this.jailed.length > 0 && this.#random.chance(UNJAIL_PERCENT)) {
      const account = this.#actor('unjail')
      return { name: 'unjail', account, messages: [this.#makers.unjail(account)] }
    }
    const names = Object.keys(this.#makers) as readonly OperationName[]
    const count = this.#random.chance(15) ? 2 + this.#random.below(2) : 1
    const chosen = Array.from({ length: count }, () => this.#random.pick(names))
    const account = this.#actor(chosen[0])
    return { name: chosen.join('+'), account, messages: chosen.map((name) => this.#makers[name](account)) }
  }

  #amount(): bigint {
    const random = this.#random
    if (random.chance(5)) return 0n
    if (random.chance(5)) return 10n ** 30n
    if (random.chance(20)) return BigInt(1 + random.below(1_000_000))
    return (NAT * BigInt(1 + random.below(2_000))) / BigInt(1 + random.below(7))
  }

  #someone(): string {
    return bech32Of(this.#random.pick(this.#accounts))
  }

  /** Mostly somebody who can do such a thing. */
  #actor(name: OperationName | undefined): PrivateKeyAccount {
    const isOperator = (account: PrivateKeyAccount) =>
      this.#operators.includes(formatOperator(hexToBytes(account.address)))
    const isAble = (account: PrivateKeyAccount): boolean =>
      name === 'unjail'
        ? this.jailed.some((operator) => bytesToHex(operator) === account.address.toLowerCase())
        : name === 'createValidator'
          ? !isOperator(account)
          : name === 'cancelUnbonding'
            ? this.#unbondings.some(({ delegator }) => delegator === bech32Of(account))
            : !OPERATOR_ACTIONS.has(name ?? '') || isOperator(account)
    const able = this.#accounts.filter(isAble)
    return this.#random.pick(able.length > 0 && this.#random.chance(90) ? able : this.#accounts)
  }

  /** The operator of a validator that the account delegated to, where it did. */
  #delegatedOperator(account: PrivateKeyAccount): string {
    const mine = [...(this.#delegations.get(bech32Of(account)) ?? [])]
    return mine.length > 0 && this.#random.chance(90) ? this.#random.pick(mine) : this.#operator()
  }

  /** The operator of a validator; seldom of somebody who is none. */
  #operator(): string {
    if (this.#random.chance(90)) return this.#random.pick(this.#operators)
    return formatOperator(hexToBytes(this.#random.pick(this.#accounts).address))
  }

  /** Parameters with one of two contracts, or with none. */
  #bridgeParams(): MessageInitShape<typeof bridge.ParamsSchema> {
    const random = this.#random
    const contract = random.pick(['', `0x${'c0'.repeat(20)}`, `0x${'c1'.repeat(20)}`])
    return {
      chainId: contract === '' ? 0n : 31_337n,
      contract,
      denom: random.pick(['anat', 'bridge/token']),
      delayBlocks: BigInt(random.below(5)),
      delaySeconds: BigInt(random.below(3)),
      maxCreditsPerBlock: 1 + random.below(10),
      mintLimit: (10n ** 24n).toString(),
      withdrawLimit: random.chance(EXTREME) ? '0' : (10n ** 20n).toString(),
      maxWithdrawalsPerBlock: 1 + random.below(5),
      setIntervalBlocks: BigInt(1 + random.below(20)),
    }
  }

  /** That nobody made: governance may complete what it likes. */
  #deposit(): MessageInitShape<typeof bridge.DepositSchema> {
    const random = this.#random
    return {
      id: random.below(6),
      amount: random.chance(EXTREME) ? '0' : this.#amount().toString(),
      from: random.hex(20),
      recipient: random.chance(EXTREME) ? '0x01' : random.pick(this.#accounts).address,
      dataHash: random.hex(32),
      externalHeight: BigInt(random.below(1_000)),
    }
  }

  #proposal(): bigint {
    return BigInt(Math.max(1, this.#newestProposal - this.#random.below(RECENT_PROPOSALS)))
  }

  #proposed(): readonly Packed[] {
    const random = this.#random
    const authority = GOVERNANCE
    const choices: readonly (() => Packed)[] = [
      () =>
        pack(distributionTx.MsgCommunityPoolSpendSchema, {
          authority,
          recipient: this.#someone(),
          amount: [anat(BigInt(1 + random.below(1_000_000)))],
        }),
      () =>
        pack(stakingTx.MsgUpdateParamsSchema, {
          authority,
          params: {
            unbondingTime: random.chance(EXTREME) ? { nanos: 1 } : { seconds: BigInt(60 + random.below(60)) },
            maxValidators: random.chance(EXTREME) ? 1 : 3 + random.below(6),
            maxEntries: 3 + random.below(5),
            historicalEntries: 100,
            bondDenom: 'anat',
            minCommissionRate: percent(0),
          },
        }),
      () =>
        pack(distributionTx.MsgUpdateParamsSchema, {
          authority,
          params: {
            communityTax: percent(random.chance(EXTREME) ? 100 : random.below(30)),
            baseProposerReward: percent(0),
            bonusProposerReward: percent(0),
            withdrawAddrEnabled: random.chance(90),
          },
        }),
      () =>
        pack(mintTx.MsgUpdateParamsSchema, {
          authority,
          params: {
            mintDenom: 'anat',
            inflationRateChange: percent(13),
            inflationMax: percent(random.chance(EXTREME) ? 100 : 20),
            inflationMin: percent(random.below(2) * 7),
            goalBonded: percent(67),
            blocksPerYear: random.chance(EXTREME) ? 1n : 31_536_000n,
          },
        }),
      () =>
        pack(slashingTx.MsgUpdateParamsSchema, {
          authority,
          params: {
            signedBlocksWindow: BigInt(5 + random.below(40)),
            minSignedPerWindow: text(percent(random.below(101))),
            downtimeJailDuration: { seconds: BigInt(1 + random.below(30)) },
            slashFractionDoubleSign: text(percent(random.chance(EXTREME) ? 100 : random.below(20))),
            slashFractionDowntime: text(percent(random.chance(EXTREME) ? 100 : random.below(10))),
          },
        }),
      () =>
        pack(consensusTx.MsgUpdateParamsSchema, {
          authority,
          block: {
            maxBytes: BigInt(4_600_000 + random.below(2_000_000)),
            maxGas: BigInt(20 + random.below(20)) * 10n ** 6n,
          },
          evidence: {
            maxAgeNumBlocks: BigInt(1 + random.below(200)),
            maxAgeDuration: { seconds: BigInt(1 + random.below(60)) },
            maxBytes: BigInt(random.below(1_000_000)),
          },
          validator: { pubKeyTypes: ['ed25519'] },
        }),
      () =>
        pack(clobMsg.MsgUpdateParamsSchema, {
          authority,
          params: {
            ...DEFAULT_CLOB_PARAMETERS,
            extensionBudgetBytes: random.chance(EXTREME) ? 65_536 : 65_536 * (1 + random.below(16)),
            blockWeight: random.chance(EXTREME) ? 4_000 : 4_000 + random.below(40_000),
          },
        }),
      () =>
        pack(erc20Tx.MsgUpdateParamsSchema, {
          authority,
          params: {
            enabled: random.chance(50),
            registrationOpen: random.chance(50),
            registrationFee: this.#amount().toString(),
            transferGas: BigInt(30_000 + random.below(900_000)),
            viewGas: random.chance(EXTREME) ? 30_000n : 100_000n,
          },
        }),
      () => pack(admissionTx.MsgUpdateParamsSchema, { authority, params: { approvalRequired: random.chance(50) } }),
      () => pack(admissionTx.MsgApproveOperatorSchema, { authority, operatorAddress: this.#operator() }),
      () => pack(admissionTx.MsgRevokeOperatorSchema, { authority, operatorAddress: this.#operator() }),
      () => pack(bridgeTx.MsgUpdateParamsSchema, { authority, params: this.#bridgeParams() }),
      () => pack(bridgeTx.MsgSetPausedSchema, { authority, paused: random.chance(30) }),
      () => pack(bridgeTx.MsgCompleteEventSchema, { authority, deposit: this.#deposit() }),
      () => pack(bridgeTx.MsgRejectEventSchema, { authority, id: random.below(4), reason: 'by chance' }),
      () => pack(bankTx.MsgSendSchema, { fromAddress: authority, toAddress: this.#someone(), amount: [anat(1n)] }),
      // Not signed by governance: refused.
      () =>
        pack(bankTx.MsgSendSchema, { fromAddress: this.#someone(), toAddress: this.#someone(), amount: [anat(1n)] }),
    ]
    return Array.from({ length: random.below(3) }, () => random.pick(choices)())
  }

  readonly #makers: Readonly<Record<OperationName, (account: PrivateKeyAccount) => Packed>> = {
    send: (account: PrivateKeyAccount) =>
      pack(bankTx.MsgSendSchema, {
        fromAddress: bech32Of(account),
        toAddress: this.#someone(),
        amount: [anat(this.#amount())],
      }),
    createValidator: (account: PrivateKeyAccount) => {
      // Now and then a key that is in use, was removed, or signed twice.
      const reused = this.#random.chance(30) ? this.#keys[this.#random.below(this.#keys.length)] : undefined
      const validator = reused ?? makeValidator(`created ${this.#created++}`, 1n)
      if (reused === undefined) this.#keys.push(validator)
      this.#addKey(validator)
      const [rate, maxRate] = [this.#random.below(30), 20 + this.#random.below(80)]
      return pack(stakingTx.MsgCreateValidatorSchema, {
        description: { moniker: `created ${this.#created}` },
        commission: { rate: percent(rate), maxRate: percent(maxRate), maxChangeRate: percent(1) },
        minSelfDelegation: '1',
        validatorAddress: formatOperator(hexToBytes(account.address)),
        pubkey: anyOf(pack(ed25519.PubKeySchema, { key: validator.publicKey })),
        value: anat(this.#amount()),
      })
    },
    editValidator: (account: PrivateKeyAccount) =>
      pack(stakingTx.MsgEditValidatorSchema, {
        description: { moniker: 'edited', identity: '[do-not-modify]', website: '', securityContact: '', details: '' },
        validatorAddress: formatOperator(hexToBytes(account.address)),
        commissionRate: this.#random.chance(50) ? '' : percent(this.#random.below(30)),
        minSelfDelegation: '',
      }),
    delegate: (account: PrivateKeyAccount) =>
      pack(stakingTx.MsgDelegateSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: this.#operator(),
        amount: anat(this.#amount()),
      }),
    delegateMore: (account: PrivateKeyAccount) =>
      pack(stakingTx.MsgDelegateSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: this.#operator(),
        amount: anat(NAT * BigInt(1 + this.#random.below(50))),
      }),
    undelegate: (account: PrivateKeyAccount) =>
      pack(stakingTx.MsgUndelegateSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: this.#delegatedOperator(account),
        amount: anat(this.#amount()),
      }),
    redelegate: (account: PrivateKeyAccount) =>
      pack(stakingTx.MsgBeginRedelegateSchema, {
        delegatorAddress: bech32Of(account),
        validatorSrcAddress: this.#delegatedOperator(account),
        validatorDstAddress: this.#operator(),
        amount: anat(this.#amount()),
      }),
    cancelUnbonding: (account: PrivateKeyAccount) => {
      const own = this.#unbondings.filter(({ delegator }) => delegator === bech32Of(account))
      const { validator, amount, height } =
        own.length > 0
          ? this.#random.pick(own)
          : { validator: this.#operator(), amount: this.#amount(), height: this.#height }
      return pack(stakingTx.MsgCancelUnbondingDelegationSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: validator,
        amount: anat(amount / BigInt(1 + this.#random.below(3))),
        creationHeight: BigInt(height),
      })
    },
    unjail: (account: PrivateKeyAccount) =>
      pack(slashingTx.MsgUnjailSchema, { validatorAddr: formatOperator(hexToBytes(account.address)) }),
    withdrawReward: (account: PrivateKeyAccount) =>
      pack(distributionTx.MsgWithdrawDelegatorRewardSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: this.#delegatedOperator(account),
      }),
    withdrawCommission: (account: PrivateKeyAccount) =>
      pack(distributionTx.MsgWithdrawValidatorCommissionSchema, {
        validatorAddress: formatOperator(hexToBytes(account.address)),
      }),
    setWithdrawAddress: (account: PrivateKeyAccount) =>
      pack(distributionTx.MsgSetWithdrawAddressSchema, {
        delegatorAddress: bech32Of(account),
        withdrawAddress: this.#someone(),
      }),
    registerView: (account: PrivateKeyAccount) =>
      pack(erc20Tx.MsgRegisterViewSchema, {
        sender: bech32Of(account),
        denom: this.#random.pick(['ibc/1234', 'anat', 'unknown']),
      }),
    setAgent: (account: PrivateKeyAccount) => {
      const removes = this.#random.chance(25)
      // One of them is in the past, one names a market that does not exist.
      const expireS = this.#random.chance(10) ? 1n : 4_000_000_000n
      const markets = this.#random.chance(10) ? [1 + this.#random.below(3)] : []
      return pack(clobMsg.MsgSetAgentSchema, {
        owner: bech32Of(account),
        agent: this.#someone(),
        ...(removes ? {} : { name: `agent ${this.#random.below(100)}`, expireS, markets }),
      })
    },
    fundCommunityPool: (account: PrivateKeyAccount) =>
      pack(distributionTx.MsgFundCommunityPoolSchema, {
        depositor: bech32Of(account),
        amount: [anat(this.#amount())],
      }),
    submitProposal: (account: PrivateKeyAccount) =>
      pack(govTx.MsgSubmitProposalSchema, {
        messages: this.#proposed().map(anyOf),
        initialDeposit: [anat(NAT * BigInt(1 + this.#random.below(6)))],
        proposer: bech32Of(account),
        metadata: '',
        title: 'a proposal',
        summary: 'what it does',
        expedited: this.#random.chance(20),
      }),
    submitText: (account: PrivateKeyAccount) => {
      const content = create(govBeta.TextProposalSchema, { title: 'a text', description: 'of a proposal' })
      return pack(govBetaTx.MsgSubmitProposalSchema, {
        content: { typeUrl: '/cosmos.gov.v1beta1.TextProposal', value: toBinary(govBeta.TextProposalSchema, content) },
        initialDeposit: [anat(NAT * BigInt(1 + this.#random.below(6)))],
        proposer: bech32Of(account),
      })
    },
    deposit: (account: PrivateKeyAccount) =>
      pack(govTx.MsgDepositSchema, {
        proposalId: this.#proposal(),
        depositor: bech32Of(account),
        amount: [anat(NAT * BigInt(1 + this.#random.below(5)))],
      }),
    vote: (account: PrivateKeyAccount) =>
      pack(govTx.MsgVoteSchema, {
        proposalId: this.#proposal(),
        voter: bech32Of(account),
        // Also numbers that name no option.
        option: (this.#random.chance(70) ? 1 : this.#random.below(6)) as gov.VoteOption,
      }),
    voteAgain: (account: PrivateKeyAccount) =>
      pack(govTx.MsgVoteSchema, { proposalId: this.#proposal(), voter: bech32Of(account), option: 1 }),
    voteWeighted: (account: PrivateKeyAccount) => {
      // A weight of zero is refused.
      const first = this.#random.below(100)
      const weight = (value: number): string => (value === 100 ? '1' : `0.${String(value).padStart(2, '0')}`)
      return pack(govTx.MsgVoteWeightedSchema, {
        proposalId: this.#proposal(),
        voter: bech32Of(account),
        options: [
          { option: 1, weight: weight(first) },
          { option: 3, weight: weight(100 - first) },
        ],
      })
    },
    cancelProposal: (account: PrivateKeyAccount) =>
      pack(govTx.MsgCancelProposalSchema, { proposalId: this.#proposal(), proposer: bech32Of(account) }),
    multiSend: (account: PrivateKeyAccount) => {
      const count = 1 + this.#random.below(4)
      const to = Array.from({ length: count }, () => hexToBytes(this.#random.pick(this.#accounts).address))
      return multiSendMessage(account, to, this.#amount())
    },
    bridgeWithdraw: (account: PrivateKeyAccount) =>
      pack(bridgeTx.MsgWithdrawSchema, {
        sender: bech32Of(account),
        recipient: this.#random.chance(EXTREME) ? `0x${'c0'.repeat(20)}` : this.#random.hex(20),
        amount: { denom: this.#random.chance(EXTREME) ? 'bridge/token' : 'anat', amount: this.#amount().toString() },
      }),
    bridgeKey: (account: PrivateKeyAccount) => {
      const privateKey = this.#random.chance(EXTREME) ? sha256(Uint8Array.of(1)) : this.#random.bytes(32)
      const operator = bech32Of(account)
      return pack(bridgeTx.MsgSetBridgeKeySchema, {
        operator,
        address: bytesToHex(privateKeyToAddress(privateKey)),
        signature: signForBridge(bridgeKeyDigest('localnat-1', operator), privateKey),
      })
    },
    depositRewards: (account: PrivateKeyAccount) =>
      pack(distributionTx.MsgDepositValidatorRewardsPoolSchema, {
        depositor: bech32Of(account),
        validatorAddress: this.#operator(),
        amount: [
          anat(this.#amount()),
          ...(this.#random.chance(30) ? [{ denom: 'ibc/1234', amount: String(1 + this.#random.below(5)) }] : []),
        ],
      }),
  }

  #callStaking(data: Hex): Call {
    return { to: STAKING, value: this.#random.chance(5) ? 1n : 0n, data }
  }

  readonly #calls: Readonly<Record<CallName, (account: PrivateKeyAccount) => Call>> = {
    push: () => ({ to: this.#random.pick(PUSHED_INTO), value: this.#amount() % NAT, data: '0x' }),
    callDelegate: ({ address }) => {
      const args = [address, this.#operator(), this.#amount()] as const
      return this.#callStaking(encodeFunctionData({ abi: PRECOMPILES, functionName: 'delegate', args }))
    },
    callUndelegate: (account) => {
      const args = [account.address, this.#delegatedOperator(account), this.#amount()] as const
      return this.#callStaking(encodeFunctionData({ abi: PRECOMPILES, functionName: 'undelegate', args }))
    },
    callRedelegate: (account) => {
      const args = [account.address, this.#delegatedOperator(account), this.#operator(), this.#amount()] as const
      return this.#callStaking(encodeFunctionData({ abi: PRECOMPILES, functionName: 'redelegate', args }))
    },
    callClaim: ({ address }) => {
      const args = [address, 1 + this.#random.below(4)] as const
      return {
        to: DISTRIBUTION,
        value: 0n,
        data: encodeFunctionData({ abi: PRECOMPILES, functionName: 'claimRewards', args }),
      }
    },
  }
}
