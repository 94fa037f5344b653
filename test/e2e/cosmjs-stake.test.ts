/**
 * Stakes, rewards and votes as CosmJS has them, with each of its wallets, against a real node: messages, query
 * extensions, searches and subscriptions. The wallet "eth_secp256k1 amino" signs as Keplr does for a Ledger.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { stringToPath } from '@cosmjs/crypto'
import { DirectEthSecp256k1HdWallet, type OfflineSigner } from '@cosmjs/proto-signing'
import type { DeliverTxResponse } from '@cosmjs/stargate'
import { Comet38Client, connectComet, type CometClient } from '@cosmjs/tendermint-rpc'
import { Client, credentials } from '@grpc/grpc-js'
import { TextProposal } from 'cosmjs-types/cosmos/gov/v1beta1/gov'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WALLET_NAMES, WALLETS, type WalletName } from '../../app/native/testing/cosmjs.ts'
import { DEVNET_MNEMONIC, devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { hexToBytes } from '../../core/hex.ts'
import { consensusAddress } from '../../core/signature.ts'
import { formatConsensusAddress, formatOperator } from '../../modules/validator-addresses.ts'
import { ed25519 } from '../../proto/index.ts'
import { MESSAGE_SERVICES, NATIVE_SERVICES } from '../../rpc/native/services.ts'
import { attributesOf, coin, extendQueries, FEE, keyOf, NAT, operatorOf, User } from './cosmjs-user.ts'
import { until, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

const VALIDATOR = operatorOf(0)
/** Has too little for a vote in consensus: nobody runs it. */
const OTHER_VALIDATOR = operatorOf(1)
const [YES, ABSTAIN] = [1, 2]

const connect = (wallet: OfflineSigner): Promise<User> => User.connect(node().urls.comet, wallet)

let comet: CometClient
let queries: ReturnType<typeof extendQueries>
let founder: User
let users: ReadonlyMap<WalletName, User>
/** The number of the proposal that all vote on. */
let proposalId = 0n

const textProposal = (proposer: string, title: string, deposit: bigint) => ({
  content: {
    typeUrl: '/cosmos.gov.v1beta1.TextProposal',
    value: TextProposal.encode({ title, description: 'Zürich & <more>' }).finish(),
  },
  initialDeposit: [coin(deposit)],
  proposer,
})

const submitted = (result: DeliverTxResponse): bigint =>
  BigInt(attributesOf(result, 'submit_proposal').find(({ proposal_id: id }) => id !== undefined)?.['proposal_id'] ?? 0)

beforeAll(async () => {
  comet = await connectComet(node().urls.comet)
  queries = extendQueries(comet)
  founder = await connect(
    await DirectEthSecp256k1HdWallet.fromMnemonic(DEVNET_MNEMONIC, {
      prefix: 'nat',
      hdPaths: [stringToPath("m/44'/60'/0'/0/1")],
    }),
  )
  const connected = new Map<WalletName, User>()
  for (const [index, name] of WALLET_NAMES.entries()) {
    const user = await connect(await WALLETS[name](keyOf(2 + index)))
    await founder.client.sendTokens(founder.address, user.address, [coin(3_000n * NAT)], FEE)
    connected.set(name, user)
  }
  users = connected
})
afterAll(() => comet.disconnect())

describe('a wallet of twelve words', () => {
  it('has the address of an Ethereum wallet with the same words', () => {
    expect(founder.address).toBe(encodeBech32(hexToBytes(devnetAccounts()[1]?.address as Hex)))
  })

  it('creates a validator, with the gas that the node estimates', async () => {
    const key = create(ed25519.PubKeySchema, { key: new Uint8Array(32).fill(9) })
    await founder.send(
      'staking.v1beta1.MsgCreateValidator',
      {
        description: { moniker: 'other', identity: '', website: '', securityContact: '', details: '' },
        commission: { rate: '100000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
        minSelfDelegation: '1',
        delegatorAddress: founder.address,
        validatorAddress: OTHER_VALIDATOR,
        pubkey: { typeUrl: '/cosmos.crypto.ed25519.PubKey', value: toBinary(ed25519.PubKeySchema, key) },
        value: coin(NAT / 4n),
      },
      'auto',
    )
    const { validator } = await queries.staking.validator(OTHER_VALIDATOR)
    expect(validator).toMatchObject({
      tokens: String(NAT / 4n),
      jailed: false,
      description: { moniker: 'other' },
      commission: { commissionRates: { rate: '100000000000000000', maxRate: '200000000000000000' } },
    })
  })

  it('submits a text proposal and pays its deposit', async () => {
    const { depositParams } = await queries.gov.params('deposit')
    const minimum = BigInt(depositParams?.minDeposit[0]?.amount ?? 0)
    expect(minimum).toBeGreaterThan(0n)
    const begun = textProposal(founder.address, 'A title', minimum / 2n)
    proposalId = submitted(await founder.send('gov.v1beta1.MsgSubmitProposal', begun))
    expect((await queries.gov.proposal(proposalId.toString())).proposal?.status).toBe(1)
    const rest = { proposalId, depositor: founder.address, amount: [coin(minimum - minimum / 2n)] }
    await founder.send('gov.v1.MsgDeposit', rest)
    const { proposal } = await queries.gov.proposal(proposalId.toString())
    expect(proposal).toMatchObject({ status: 2, totalDeposit: [coin(minimum)] })
    expect(TextProposal.decode(proposal?.content?.value ?? new Uint8Array(0))).toEqual({
      title: 'A title',
      description: 'Zürich & <more>',
    })
    const { deposit } = await queries.gov.deposit(proposalId.toString(), founder.address)
    expect(deposit?.amount).toEqual([coin(minimum)])
  })
})

describe.each(WALLET_NAMES)('%s', (name) => {
  const user = (): User => {
    const found = users.get(name)
    if (found === undefined) throw new TypeError(`no wallet ${name}`)
    return found
  }
  const parties = () => ({ delegatorAddress: user().address, validatorAddress: VALIDATOR })
  const delegated = async (validator: string): Promise<bigint> => {
    const { delegationResponse } = await queries.staking.delegation(user().address, validator)
    return BigInt(delegationResponse?.balance?.amount ?? 0)
  }

  it('delegates', async () => {
    const amount = coin(100n * NAT)
    const result = await user().send('staking.v1beta1.MsgDelegate', { ...parties(), amount })
    expect(attributesOf(result, 'delegate')).toEqual([
      {
        validator: VALIDATOR,
        delegator: user().address,
        amount: `${amount.amount}anat`,
        new_shares: `${amount.amount}.000000000000000000`,
        msg_index: '0',
      },
    ])
    expect(await delegated(VALIDATOR)).toBe(100n * NAT)
    const { delegationResponses } = await queries.staking.delegatorDelegations(user().address)
    expect(delegationResponses).toMatchObject([{ delegation: parties(), balance: amount }])
  })

  it('redelegates', async () => {
    const { address } = user()
    await user().send('staking.v1beta1.MsgBeginRedelegate', {
      delegatorAddress: address,
      validatorSrcAddress: VALIDATOR,
      validatorDstAddress: OTHER_VALIDATOR,
      amount: coin(NAT / 10n),
    })
    expect(await delegated(OTHER_VALIDATOR)).toBe(NAT / 10n)
    const { redelegationResponses } = await queries.staking.redelegations(address, VALIDATOR, OTHER_VALIDATOR)
    expect(redelegationResponses).toMatchObject([{ entries: [{ balance: String(NAT / 10n) }] }])
  })

  it('undelegates, and takes a part of it back', async () => {
    const { height } = await user().send('staking.v1beta1.MsgUndelegate', { ...parties(), amount: coin(10n * NAT) })
    const creationHeight = BigInt(height)
    const pending = async () => {
      const { unbond } = await queries.staking.unbondingDelegation(user().address, VALIDATOR)
      return unbond?.entries.map((entry) => ({ height: entry.creationHeight, balance: BigInt(entry.balance) }))
    }
    expect(await pending()).toEqual([{ height: creationHeight, balance: 10n * NAT }])
    const cancel = { ...parties(), amount: coin(4n * NAT), creationHeight }
    await user().send('staking.v1beta1.MsgCancelUnbondingDelegation', cancel)
    expect(await pending()).toEqual([{ height: creationHeight, balance: 6n * NAT }])
    expect(await delegated(VALIDATOR)).toBe(94n * NAT - NAT / 10n)
  })

  it('withdraws rewards to the address that it names', async () => {
    const { address } = user()
    const withdrawAddress = encodeBech32(new Uint8Array(20).fill(0x80 + WALLET_NAMES.indexOf(name)))
    await user().send('distribution.v1beta1.MsgSetWithdrawAddress', { delegatorAddress: address, withdrawAddress })
    expect(await queries.distribution.delegatorWithdrawAddress(address)).toEqual({ withdrawAddress })
    // The fee of this block is shared out at the beginning of the next.
    const due = await until('rewards', async () => {
      const { rewards } = await queries.distribution.delegationRewards(address, VALIDATOR)
      return rewards[0]?.amount
    })
    const { total } = await queries.distribution.delegationTotalRewards(address)
    expect(BigInt(total[0]?.amount ?? 0)).toBeGreaterThanOrEqual(BigInt(due))
    const result = await user().send('distribution.v1beta1.MsgWithdrawDelegatorReward', parties())
    const [{ amount = '', ...others } = {}] = attributesOf(result, 'withdraw_rewards')
    expect(others).toEqual({ delegator: address, validator: VALIDATOR, msg_index: '0' })
    expect(BigInt(amount.replace('anat', ''))).toBeGreaterThanOrEqual(BigInt(due) / NAT)
    expect(`${(await user().client.getBalance(withdrawAddress, 'anat')).amount}anat`).toBe(amount)
  })

  it('votes in both versions of the messages, whole and in parts', async () => {
    const voter = user().address
    const voted = async () => {
      const { vote } = await queries.gov.vote(proposalId.toString(), voter)
      return vote?.options.map(({ option, weight }) => [option, BigInt(weight)])
    }
    await user().send('gov.v1beta1.MsgVote', { proposalId, voter, option: ABSTAIN })
    expect(await voted()).toEqual([[ABSTAIN, NAT]])
    const parts = (yes: string, abstain: string) => [
      { option: YES, weight: yes },
      { option: ABSTAIN, weight: abstain },
    ]
    const split = { proposalId, voter, options: parts('700000000000000000', '300000000000000000') }
    await user().send('gov.v1beta1.MsgVoteWeighted', split)
    const whole = [
      [YES, (NAT * 7n) / 10n],
      [ABSTAIN, (NAT * 3n) / 10n],
    ]
    expect(await voted()).toEqual(whole)
    await user().send('gov.v1.MsgVote', { proposalId, voter, option: YES, metadata: '' })
    expect(await voted()).toEqual([[YES, NAT]])
    const again = { proposalId, voter, options: parts('0.700000000000000000', '0.300000000000000000'), metadata: '' }
    await user().send('gov.v1.MsgVoteWeighted', again)
    expect(await voted()).toEqual(whole)
  })

  it('submits a text proposal', async () => {
    const proposal = textProposal(user().address, `By ${name}`, 300n * NAT)
    const id = submitted(await user().send('gov.v1beta1.MsgSubmitProposal', proposal))
    const { proposals } = await queries.gov.proposals(0, user().address, '')
    expect(proposals.map((each) => each.proposalId)).toEqual([id])
  })

  it('is refused in the codes of the SDK', async () => {
    const { client, address } = user()
    const refuse = async (type: string, value: object): Promise<readonly [string, number]> => {
      const message = { typeUrl: `/cosmos.${type}`, value }
      const { code, transactionHash } = await client.signAndBroadcast(address, [message], FEE)
      const { txResponse } = await queries.tx.getTx(transactionHash)
      expect(txResponse?.code).toBe(code)
      return [txResponse?.codespace ?? '', code]
    }
    const nobody = formatOperator(new Uint8Array(20).fill(0x99))
    const one = coin(1n)
    const delegate = { delegatorAddress: address, validatorAddress: nobody, amount: one }
    expect(await refuse('staking.v1beta1.MsgDelegate', delegate)).toEqual(['staking', 3])
    const much = { ...parties(), amount: coin(10n ** 24n) }
    expect(await refuse('staking.v1beta1.MsgUndelegate', much)).toEqual(['sdk', 18])
    expect(await refuse('gov.v1beta1.MsgVote', { proposalId: 999n, voter: address, option: YES })).toEqual(['gov', 3])
  })
})

describe('the query extensions', () => {
  it('of staking list validators, delegations and the pool', async () => {
    const { validators } = await queries.staking.validators('BOND_STATUS_BONDED')
    expect(validators.map(({ operatorAddress }) => operatorAddress)).toEqual([VALIDATOR])
    const all = await queries.staking.validators('')
    expect(all.validators.map(({ operatorAddress }) => operatorAddress).toSorted()).toEqual(
      [VALIDATOR, OTHER_VALIDATOR].toSorted(),
    )
    const { delegationResponses } = await queries.staking.validatorDelegations(VALIDATOR)
    expect(delegationResponses.length).toBe(1 + WALLET_NAMES.length)
    const sum = delegationResponses.reduce((total, { balance }) => total + BigInt(balance?.amount ?? 0), 0n)
    expect(sum).toBe(BigInt(validators[0]?.tokens ?? 0))
    const { unbondingResponses } = await queries.staking.validatorUnbondingDelegations(VALIDATOR)
    expect(unbondingResponses.length).toBe(WALLET_NAMES.length)
    const { pool } = await queries.staking.pool()
    expect(pool).toEqual({ bondedTokens: String(sum), notBondedTokens: expect.stringMatching(/^[1-9]\d*$/) as string })
    const { params } = await queries.staking.params()
    expect(params).toMatchObject({ bondDenom: 'anat', maxEntries: 7, unbondingTime: { seconds: 1_814_400n } })
    const { hist } = await queries.staking.historicalInfo(2)
    expect([hist?.header?.height, hist?.valset.length]).toEqual([2n, 1])
  })

  it('of distribution tell of the pool, commission and outstanding rewards', async () => {
    const { params } = await queries.distribution.params()
    expect(params).toMatchObject({ communityTax: '20000000000000000', withdrawAddrEnabled: true })
    const { pool } = await queries.distribution.communityPool()
    expect(pool).toMatchObject([{ denom: 'anat', amount: expect.stringMatching(/^[1-9]\d*$/) as string }])
    const { commission } = await queries.distribution.validatorCommission(VALIDATOR)
    const { rewards } = await queries.distribution.validatorOutstandingRewards(VALIDATOR)
    const [part, whole] = [commission?.commission[0]?.amount ?? 0, rewards?.rewards[0]?.amount ?? 0]
    expect(BigInt(part)).toBeGreaterThan(0n)
    expect(BigInt(whole)).toBeGreaterThan(BigInt(part))
    expect((await queries.distribution.validatorSlashes(VALIDATOR, 0, 1_000)).slashes).toEqual([])
    const staker = [...users.values()][0]?.address ?? ''
    const { validators } = await queries.distribution.delegatorValidators(staker)
    expect(validators.toSorted()).toEqual([VALIDATOR, OTHER_VALIDATOR].toSorted())
  })

  it('of governance count the votes', async () => {
    const { votes } = await queries.gov.votes(proposalId.toString())
    expect(votes.map(({ voter }) => voter).toSorted()).toEqual(
      [...users.values()].map(({ address }) => address).toSorted(),
    )
    const { tally } = await queries.gov.tally(proposalId.toString())
    // Each has 94 NAT less what it redelegated to one that is not bonded.
    const power = BigInt(WALLET_NAMES.length) * (94n * NAT - NAT / 10n)
    expect(tally).toMatchObject({ yes: String((power * 7n) / 10n), abstain: String((power * 3n) / 10n), no: '0' })
    expect((await queries.gov.params('voting')).votingParams?.votingPeriod?.seconds).toBeGreaterThan(0n)
    expect((await queries.gov.params('tallying')).tallyParams).toBeDefined()
  })

  it('of mint and slashing tell of their parameters', async () => {
    const { mintDenom, goalBonded, inflationMax } = await queries.mint.params()
    expect([mintDenom, goalBonded.toString(), inflationMax.toString()]).toEqual(['anat', '0.67', '0'])
    expect((await queries.mint.inflation()).toString()).toBe('0')
    expect((await queries.mint.annualProvisions()).toString()).toBe('0')
    const { params } = await queries.slashing.params()
    expect(params?.signedBlocksWindow).toBeGreaterThan(0n)
    expect(Buffer.from(params?.slashFractionDoubleSign ?? '').toString()).toMatch(/^[1-9]\d{16}$/)
    const { validatorInfo } = await comet.status()
    const address = formatConsensusAddress(consensusAddress(Buffer.from(validatorInfo?.pubkey?.data ?? '')))
    const { valSigningInfo } = await queries.slashing.signingInfo(address)
    expect(valSigningInfo).toMatchObject({ address, tombstoned: false, missedBlocksCounter: 0n })
    expect((await queries.slashing.signingInfos()).info.length).toBe(1)
  })
})

describe('CometBFT', () => {
  it('finds transactions by their events', async () => {
    const delegations = await comet.txSearch({ query: `delegate.validator='${VALIDATOR}'` })
    expect(delegations.totalCount).toBe(WALLET_NAMES.length)
    const action = "message.action='/cosmos.staking.v1beta1.MsgUndelegate'"
    expect((await comet.txSearch({ query: action })).totalCount).toBeGreaterThanOrEqual(WALLET_NAMES.length)
    const address = users.get('eth_secp256k1 amino')?.address ?? ''
    // CometBFT joins what one event holds: conditions on two events find nothing.
    const both = await founder.client.searchTx([
      { key: 'delegate.validator', value: VALIDATOR },
      { key: 'delegate.delegator', value: address },
    ])
    expect(both.length).toBe(1)
    const signed = [
      { key: 'message.action', value: '/cosmos.staking.v1beta1.MsgDelegate' },
      { key: 'message.sender', value: address },
    ]
    expect((await founder.client.searchTx(signed)).map(({ hash }) => hash)).toEqual([both[0]?.hash])
    const { hash = '', height = 0 } = both[0] ?? {}
    const { txResponse } = await queries.tx.getTx(hash)
    expect(txResponse).toMatchObject({ txhash: hash, height: BigInt(height), code: 0 })
    expect(await founder.client.getTx(hash)).toMatchObject({ hash, height })
  })

  it('tells subscribers of a delegation', async () => {
    const socket = await Comet38Client.connect(node().urls.comet.replace('http', 'ws'))
    try {
      const [user] = users.values()
      const stream = socket.subscribeTx(`delegate.delegator='${user?.address}'`)
      const heard = new Promise<readonly string[]>((resolve, reject) => {
        stream.addListener({
          next: ({ result }) => resolve(result.events.map(({ type }) => type)),
          error: reject,
          complete: () => reject(new TypeError('the subscription ended')),
        })
      })
      // Settles once the node has taken the subscription: requests of a socket are answered in their order.
      await socket.status()
      const amount = coin(1n)
      const value = { delegatorAddress: user?.address, validatorAddress: VALIDATOR, amount }
      await user?.send('staking.v1beta1.MsgDelegate', value)
      expect(await heard).toEqual(expect.arrayContaining(['withdraw_rewards', 'delegate']))
    } finally {
      socket.disconnect()
    }
  })
})

describe('gRPC reflection of the node', () => {
  const same = (bytes: Buffer): Buffer => bytes

  const lengthDelimited = (bytes: Uint8Array, wanted: number): Uint8Array[] => {
    const reader = new BinaryReader(bytes)
    const found: Uint8Array[] = []
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      if (number === wanted && wireType === WireType.LengthDelimited) found.push(reader.bytes())
      else reader.skip(wireType)
    }
    return found
  }

  it.each(['v1', 'v1alpha'])('lists every service in %s', async (version) => {
    const client = new Client(node().grpc, credentials.createInsecure())
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const [listServices, listResponse] = [7, 6]
    try {
      const answer = await new Promise<Buffer>((resolve, reject) => {
        const stream = client.makeBidiStreamRequest(path, same, same)
        stream.on('data', resolve).on('error', reject)
        stream.end(Buffer.from(new BinaryWriter().tag(listServices, WireType.LengthDelimited).string('*').finish()))
      })
      const [list = new Uint8Array(0)] = lengthDelimited(answer, listResponse)
      const names = lengthDelimited(list, 1).map((one) => Buffer.from(lengthDelimited(one, 1)[0] ?? '').toString())
      expect(names).toEqual(
        expect.arrayContaining([...NATIVE_SERVICES, ...MESSAGE_SERVICES].map(({ typeName }) => typeName)),
      )
    } finally {
      client.close()
    }
  })
})
