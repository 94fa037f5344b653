/** What the commands of `chain tx` make, offline: message by message what CosmJS encodes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EncodeObject, Registry } from '@cosmjs/proto-signing'
import { defaultRegistryTypes } from '@cosmjs/stargate'
import { MsgUnjail } from 'cosmjs-types/cosmos/slashing/v1beta1/tx'
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx'
import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { RECIPIENT, VALIDATOR } from '../../../app/native/testing/cosmjs.ts'
import { moduleAddress, parseAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { checkMarket } from '../../../modules/clob/domain/market-rules.ts'
import { parseMarket } from '../../../modules/clob/forms/market.ts'
import { bridgeTx, clob, clobMsg, erc20Tx, govTx, tx } from '../../../proto/index.ts'
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { Keyring } from '../keys/keyring.ts'
import { readMessage } from '../client/messages-json.ts'
import { checkTransaction, encodeTransaction, pack } from './tx-document.ts'
import { createTxProgram } from './tx-program.ts'

const registry = new Registry([
  ...defaultRegistryTypes,
  ['/cosmos.slashing.v1beta1.MsgUnjail', MsgUnjail],
  ['/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade', MsgSoftwareUpgrade],
  ['/cosmos.upgrade.v1beta1.MsgCancelUpgrade', MsgCancelUpgrade],
])

const SENDER = parseAddress('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
const FROM = encodeBech32(SENDER)
const OPERATOR = formatOperator(SENDER)
const GOVERNANCE = encodeBech32(moduleAddress('gov'))
const COIN = { denom: 'anat', amount: '1230000000000000000' }
const VALIDATOR_KEY = { '@type': '/cosmos.crypto.ed25519.PubKey', key: Buffer.alloc(32, 9).toString('base64') }
const PACKED_KEY = {
  typeUrl: '/cosmos.crypto.ed25519.PubKey',
  value: Uint8Array.of(0x0a, 32, ...new Uint8Array(32).fill(9)),
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tx-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = async (args: readonly string[]): Promise<string> => {
  let output = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    output += String(chunk)
    return true
  })
  try {
    await createTxProgram().parseAsync([...args], { from: 'user' })
  } finally {
    spy.mockRestore()
  }
  return output
}

const OFFLINE = ['--generate-only', '--offline', '--gas', '200000', '--fees', '0.0004nat']

const generate = async (args: readonly string[], from = FROM): Promise<tx.Tx> => {
  const text = await run([...args, ...OFFLINE, '--home', folder, '--from', from])
  return readMessage(tx.TxSchema, JSON.parse(text), 'output')
}

const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const DESCRIPTION = { moniker: 'm & n', identity: 'I', website: 'https://x', securityContact: 's@x', details: '"d"' }
const VALIDATOR_FILE = {
  pubkey: VALIDATOR_KEY,
  amount: '1.23nat',
  moniker: 'm & n',
  identity: 'I',
  website: 'https://x',
  security: 's@x',
  details: '"d"',
  'commission-rate': '0.1',
  'commission-max-rate': '0.2',
  'commission-max-change-rate': '0.01',
  'min-self-delegation': '1',
}
const VALIDATOR_MESSAGE = {
  description: DESCRIPTION,
  commission: { rate: '100000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
  minSelfDelegation: '1',
  validatorAddress: OPERATOR,
  pubkey: PACKED_KEY,
  value: COIN,
}
const SEND = { fromAddress: FROM, toAddress: RECIPIENT, amount: [COIN] }
const DELEGATION = { delegatorAddress: FROM, validatorAddress: VALIDATOR, amount: COIN }
const KEEP = '[do-not-modify]'

const VALIDATOR_FLAGS = Object.entries({
  pubkey: JSON.stringify(VALIDATOR_KEY),
  amount: '1.23nat',
  moniker: 'm & n',
  identity: 'I',
  website: 'https://x',
  'security-contact': 's@x',
  details: '"d"',
}).flatMap(([name, value]) => [`--${name}`, value])

const PROPOSAL_FLAGS = ['--title', 'T', '--summary', 'S', '--deposit', '1.23nat', '--metadata', 'M']

const proposal = (message: EncodeObject, expedited = false): object => ({
  messages: [registry.encodeAsAny(message)],
  initialDeposit: [COIN],
  proposer: FROM,
  metadata: 'M',
  title: 'T',
  summary: 'S',
  expedited,
})

const COMMANDS: readonly (readonly [string, readonly string[], string, object])[] = [
  ['send', ['bank', 'send', RECIPIENT, '1.23nat'], 'bank.v1beta1.MsgSend', SEND],
  ['the send of the SDK', ['bank', 'send', FROM, RECIPIENT, '1230000000000000000anat'], 'bank.v1beta1.MsgSend', SEND],
  [
    'a send of several coins',
    ['bank', 'send', RECIPIENT, '5uother', '1.23nat'],
    'bank.v1beta1.MsgSend',
    { ...SEND, amount: [COIN, { denom: 'uother', amount: '5' }] },
  ],
  [
    'multi-send',
    ['bank', 'multi-send', RECIPIENT, FROM, '1.23nat'],
    'bank.v1beta1.MsgMultiSend',
    {
      inputs: [{ address: FROM, coins: [{ denom: 'anat', amount: '2460000000000000000' }] }],
      outputs: [RECIPIENT, FROM].map((address) => ({ address, coins: [COIN] })),
    },
  ],
  [
    'multi-send of a part each',
    ['bank', 'multi-send', RECIPIENT, FROM, '5anat', '--split'],
    'bank.v1beta1.MsgMultiSend',
    {
      inputs: [{ address: FROM, coins: [{ denom: 'anat', amount: '4' }] }],
      outputs: [RECIPIENT, FROM].map((address) => ({ address, coins: [{ denom: 'anat', amount: '2' }] })),
    },
  ],
  [
    'create-validator by flags',
    ['staking', 'create-validator', ...VALIDATOR_FLAGS],
    'staking.v1beta1.MsgCreateValidator',
    VALIDATOR_MESSAGE,
  ],
  [
    'edit-validator of all',
    ['staking', 'edit-validator', '--moniker', 'new', '--commission-rate', '0.15', '--min-self-delegation', '2'],
    'staking.v1beta1.MsgEditValidator',
    {
      description: { moniker: 'new', identity: KEEP, website: KEEP, securityContact: KEEP, details: KEEP },
      validatorAddress: OPERATOR,
      commissionRate: '150000000000000000',
      minSelfDelegation: '2',
    },
  ],
  ['delegate', ['staking', 'delegate', VALIDATOR, '1.23nat'], 'staking.v1beta1.MsgDelegate', DELEGATION],
  ['unbond', ['staking', 'unbond', VALIDATOR, '1.23nat'], 'staking.v1beta1.MsgUndelegate', DELEGATION],
  [
    'redelegate',
    ['staking', 'redelegate', VALIDATOR, OPERATOR, '1.23nat'],
    'staking.v1beta1.MsgBeginRedelegate',
    { delegatorAddress: FROM, validatorSrcAddress: VALIDATOR, validatorDstAddress: OPERATOR, amount: COIN },
  ],
  [
    'cancel-unbond',
    ['staking', 'cancel-unbond', VALIDATOR, '1.23nat', '77'],
    'staking.v1beta1.MsgCancelUnbondingDelegation',
    { ...DELEGATION, creationHeight: 77n },
  ],
  ['unjail', ['slashing', 'unjail'], 'slashing.v1beta1.MsgUnjail', { validatorAddr: OPERATOR }],
  [
    'withdraw-rewards',
    ['distribution', 'withdraw-rewards', VALIDATOR],
    'distribution.v1beta1.MsgWithdrawDelegatorReward',
    { delegatorAddress: FROM, validatorAddress: VALIDATOR },
  ],
  [
    'withdraw-validator-commission',
    ['distribution', 'withdraw-validator-commission'],
    'distribution.v1beta1.MsgWithdrawValidatorCommission',
    { validatorAddress: OPERATOR },
  ],
  [
    'set-withdraw-addr',
    ['distribution', 'set-withdraw-addr', RECIPIENT],
    'distribution.v1beta1.MsgSetWithdrawAddress',
    { delegatorAddress: FROM, withdrawAddress: RECIPIENT },
  ],
  [
    'fund-community-pool',
    ['distribution', 'fund-community-pool', '1.23nat'],
    'distribution.v1beta1.MsgFundCommunityPool',
    { amount: [COIN], depositor: FROM },
  ],
  [
    'deposit',
    ['gov', 'deposit', '3', '1.23nat'],
    'gov.v1.MsgDeposit',
    { proposalId: 3n, depositor: FROM, amount: [COIN] },
  ],
  [
    'vote',
    ['gov', 'vote', '3', 'no-with-veto', '--metadata', 'why'],
    'gov.v1.MsgVote',
    { proposalId: 3n, voter: FROM, option: 4, metadata: 'why' },
  ],
  [
    'weighted-vote',
    ['gov', 'weighted-vote', '3', 'yes=0.6,VOTE_OPTION_NO=0.4'],
    'gov.v1.MsgVoteWeighted',
    {
      proposalId: 3n,
      voter: FROM,
      options: [
        { option: 1, weight: '0.600000000000000000' },
        { option: 3, weight: '0.400000000000000000' },
      ],
      metadata: '',
    },
  ],
  [
    'software-upgrade',
    ['upgrade', 'software-upgrade', 'v2', '--upgrade-height', '1000', '--upgrade-info', 'i', ...PROPOSAL_FLAGS],
    'gov.v1.MsgSubmitProposal',
    proposal({
      typeUrl: '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
      // Go's zero time, which the SDK's commands write and documents show.
      value: {
        authority: GOVERNANCE,
        plan: { name: 'v2', height: 1000n, info: 'i', time: { seconds: -62_135_596_800n, nanos: 0 } },
      },
    }),
  ],
  [
    'cancel-software-upgrade',
    ['upgrade', 'cancel', ...PROPOSAL_FLAGS],
    'gov.v1.MsgSubmitProposal',
    proposal({ typeUrl: '/cosmos.upgrade.v1beta1.MsgCancelUpgrade', value: { authority: GOVERNANCE } }),
  ],
]

/** The body as CosmJS encodes it. */
const encodeBody = (...messages: readonly EncodeObject[]): Uint8Array =>
  registry.encodeTxBody({ messages: [...messages], memo: '' })

it('tokens of contracts go in and out by the messages of the converter', async () => {
  const token = '0x5a7a6e5d6d3b9c8c9e5ad0b1e3a1f5f1b2c3d4e5'
  const made = async (...args: readonly string[]) => (await generate(['erc20', ...args])).body?.messages[0]
  const deposit = { sender: FROM, token, amount: '1500000' }
  expect(await made('deposit', token, '1500000')).toMatchObject(pack(erc20Tx.MsgDepositSchema, deposit))
  const withdrawal = { ...deposit, amount: '9'.repeat(30), receiver: RECIPIENT }
  expect(await made('withdraw', token, '9'.repeat(30), '--to', RECIPIENT)).toMatchObject(
    pack(erc20Tx.MsgWithdrawSchema, withdrawal),
  )
  expect(await made('register-token', token)).toMatchObject(
    pack(erc20Tx.MsgRegisterTokenSchema, { sender: FROM, token }),
  )
  expect(await made('register-view', 'ibc/27')).toMatchObject(
    pack(erc20Tx.MsgRegisterViewSchema, { sender: FROM, denom: 'ibc/27' }),
  )
  await expect(made('deposit', token, '1.5')).rejects.toThrow('is no amount')
})

it('coins go back over the bridge in one denomination', async () => {
  const recipient = `0x${'AB'.repeat(20)}`
  const made = async (...args: readonly string[]) => (await generate(['bridge', 'withdraw', ...args])).body?.messages[0]
  const message = { sender: FROM, recipient: recipient.toLowerCase(), amount: { denom: 'bridge/ether', amount: '5' } }
  expect(await made(recipient, '5bridge/ether')).toMatchObject(pack(bridgeTx.MsgWithdrawSchema, message))
  await expect(made('nat1abc', '5bridge/ether')).rejects.toThrow('is no address of 0x and 40 digits')
  await expect(made(recipient, '5bridge/ether,1anat')).rejects.toThrow('one denomination')
  await expect(generate(['bridge', 'set-key', '--home', '/nonexistent'])).rejects.toThrow('is missing')
})

it('a market is proposed by a command, with the settings that its flags say', async () => {
  const flags = ['--lot-size', '1000000000000000', '--factor', '10', ...PROPOSAL_FLAGS]
  const more = [
    '--tiers',
    '0:100:300,5000000:-20:200',
    '--min-notional',
    '1000',
    '--mode',
    'uniform',
    '--band-ppm',
    '0',
  ]
  const transaction = await generate(['clob', 'propose-market', 'anat', 'uusd', ...flags, ...more])
  const message = {
    ...{ authority: GOVERNANCE, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: '1000000000000000', factor: '10' },
    settings: {
      fees: [
        { volume: '0', makerPpm: 100, takerPpm: 300 },
        { volume: '5000000', makerPpm: -20, takerPpm: 200 },
      ],
      ...{ minNotional: '1000', bandPpm: 0, maxOpenOrders: 200, triggerNotional: '1', minEquity: '0' },
      ...{ status: clob.MarketStatus.ACTIVE, mode: clob.MarketMode.UNIFORM },
    },
  }
  // What the chain itself would make of it.
  const [packed] = transaction.body?.messages ?? []
  const { messages, ...rest } = fromBinary(govTx.MsgSubmitProposalSchema, packed?.value ?? new Uint8Array(0))
  expect(rest).toMatchObject({ proposer: FROM, title: 'T', summary: 'S', metadata: 'M', initialDeposit: [COIN] })
  expect(messages).toEqual([expect.objectContaining(pack(clobMsg.MsgCreateMarketSchema, message))])
  expect(() =>
    checkMarket(parseMarket(fromBinary(clobMsg.MsgCreateMarketSchema, messages[0]?.value ?? new Uint8Array(0)))),
  ).not.toThrow()
  const refused = (...args: readonly string[]) => generate(['clob', ...args, ...PROPOSAL_FLAGS])
  // What a flag leaves out is asked of a node.
  await expect(refused('propose-settings', '1', '--tiers', '0:0:100')).rejects.toThrow('offline, the settings')
  await expect(refused('propose-params', '--block-weight', '5000')).rejects.toThrow('offline, the parameters')
})

describe('a command', () => {
  it.each(COMMANDS)('%s makes the message of CosmJS', async (_, args, name, value) => {
    const transaction = await generate(args)
    const { bodyBytes, fee } = checkTransaction(transaction)
    expect(Buffer.from(bodyBytes).toString('hex')).toBe(
      Buffer.from(encodeBody({ typeUrl: `/cosmos.${name}`, value })).toString('hex'),
    )
    expect(fee).toEqual({ coins: [{ denom: 'anat', amount: 400_000_000_000_000n }], gasLimit: 200_000n, payer: '' })
  })

  it('create-validator reads the file of the SDK', async () => {
    const transaction = await generate(['staking', 'create-validator', file('validator.json', VALIDATOR_FILE)])
    expect(checkTransaction(transaction).bodyBytes).toEqual(
      encodeBody({ typeUrl: '/cosmos.staking.v1beta1.MsgCreateValidator', value: VALIDATOR_MESSAGE }),
    )
  })

  it('withdraw-rewards takes the commission along', async () => {
    const { messages } = checkTransaction(
      await generate(['distribution', 'withdraw-rewards', OPERATOR, '--commission']),
    )
    expect(messages.map(({ typeUrl }) => typeUrl)).toEqual([
      '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
      '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
    ])
  })

  it('submit-proposal reads messages as the SDK prints them, decimals with their point', async () => {
    const params = {
      unbonding_time: '1814400s',
      max_validators: 50,
      max_entries: 7,
      historical_entries: 10000,
      bond_denom: 'anat',
      min_commission_rate: '0.050000000000000000',
    }
    const content = {
      messages: [
        { '@type': '/cosmos.staking.v1beta1.MsgUpdateParams', authority: GOVERNANCE, params },
        { '@type': '/cosmos.bank.v1beta1.MsgSend', from_address: GOVERNANCE, to_address: FROM, amount: [COIN] },
      ],
      metadata: 'M',
      deposit: '1.23nat',
      title: 'T',
      summary: 'S',
      expedited: true,
    }
    const transaction = await generate(['gov', 'submit-proposal', file('proposal.json', content)])
    const [packed] = transaction.body?.messages ?? []
    const printed = JSON.parse(
      await run(['decode', Buffer.from(encodeTransaction(transaction)).toString('base64')]),
    ) as {
      body: { messages: [{ messages: object[]; expedited: boolean }] }
    }
    expect(packed?.typeUrl).toBe('/cosmos.gov.v1.MsgSubmitProposal')
    const [shown] = printed.body.messages
    const { deposit: _, ...rest } = content
    expect(shown).toMatchObject({ ...rest, initial_deposit: [COIN], proposer: FROM })
  })

  it('cancel-proposal makes the message of the definition', async () => {
    const { messages } = checkTransaction(await generate(['gov', 'cancel-proposal', '3']))
    expect(messages).toEqual([pack(govTx.MsgCancelProposalSchema, { proposalId: 3n, proposer: FROM })])
  })

  it('knows the names of keys', async () => {
    const keyring = new Keyring(folder, 'file')
    const alice = keyring.addPrivateKey('alice', 'secp256k1', new Uint8Array(32).fill(1), 'a password', 'light')
    const { messages } = checkTransaction(await generate(['bank', 'send', RECIPIENT, '1.23nat'], 'alice'))
    const value = { ...SEND, fromAddress: encodeBech32(alice.address) }
    expect(registry.decode(messages[0] as EncodeObject)).toMatchObject(value)
  })
})

describe('a command is refused', () => {
  const usage = expect.objectContaining({ codespace: 'cli', code: 1 }) as Error
  it.each([
    ['without a sender', ['bank', 'send', RECIPIENT, '1nat', ...OFFLINE]],
    ['with two senders', ['bank', 'send', FROM, RECIPIENT, '1nat', ...OFFLINE, '--from', RECIPIENT]],
    ['without a recipient that there is', ['bank', 'send', 'nobody', '1nat', ...OFFLINE, '--from', FROM]],
    ['without an amount', ['bank', 'send', RECIPIENT, '--from', FROM, ...OFFLINE]],
    ['offline without a price', ['bank', 'send', RECIPIENT, '1nat', '--from', FROM, '--generate-only', '--offline']],
    [
      'with a fee and a price',
      ['bank', 'send', RECIPIENT, '1nat', '--from', FROM, ...OFFLINE, '--gas-prices', '1anat'],
    ],
    ['with another vote', ['gov', 'vote', '1', 'perhaps', '--from', FROM, ...OFFLINE]],
    ['with weights that are not one', ['gov', 'weighted-vote', '1', 'yes=0.5,no=0.4', '--from', FROM, ...OFFLINE]],
    ['with an address of somebody mistyped', ['bank', 'send', `${RECIPIENT}q`, '1nat', '--from', FROM, ...OFFLINE]],
  ])('%s', async (_, args) => {
    await expect(run([...args, '--home', folder])).rejects.toThrow(usage)
  })

  it('with a memo that the chain would not take, in its words', async () => {
    await expect(generate(['bank', 'send', RECIPIENT, '1nat', '--memo', 'x'.repeat(257)])).rejects.toThrow(
      expect.objectContaining({ codespace: 'sdk', code: 12 }),
    )
  })
})

describe('documents', () => {
  it('are encoded and decoded to the same', async () => {
    const transaction = await generate(['bank', 'send', RECIPIENT, '1.23nat', '--memo', 'zürich <&>'])
    const bytes = encodeTransaction(transaction)
    const document = JSON.parse(await run(['decode', Buffer.from(bytes).toString('hex')])) as unknown
    expect(await run(['encode', file('tx.json', document)])).toBe(`${Buffer.from(bytes).toString('base64')}\n`)
  })

  it('that name what they do not know are refused by name', async () => {
    const path = file('odd.json', { body: { messages: [], memo: '', colour: 'red' } })
    await expect(run(['encode', path])).rejects.toThrow(/colour/)
    await expect(run(['decode', 'xyz!'])).rejects.toThrow(expect.objectContaining({ codespace: 'cli', code: 1 }))
  })
})
