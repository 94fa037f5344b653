import { describe, expect, it } from 'vitest'
import { create, toBinary, type DescMessage, type DescService, fromBinary } from '@bufbuild/protobuf'
import {
  authQuery,
  bankQuery,
  bridgeQuery,
  clobQuery,
  erc20Query,
  distributionQuery,
  evidenceQuery,
  evmQuery,
  govBetaQuery,
  govQuery,
  mintQuery,
  admissionQuery,
  feeMarketQuery,
  consensusQuery,
  slashingQuery,
  stakingQuery,
  SUMMARIES,
  txService,
  upgradeQuery,
} from '../../../proto/index.ts'
import { methodPath, NATIVE_SERVICES } from '../../../rpc/native/services.ts'
import { Keyring } from '../keys/keyring.ts'
import { FRIENDLY, kebab } from './query-names.ts'
import { planQueries, type QueryPlan } from './query-plan.ts'
import { createQueryProgram } from './query-program.ts'
import { readRequest } from './query-request.ts'

const SERVICES: readonly DescService[] = [
  authQuery.Query,
  bankQuery.Query,
  bridgeQuery.Query,
  stakingQuery.Query,
  slashingQuery.Query,
  distributionQuery.Query,
  govQuery.Query,
  govBetaQuery.Query,
  mintQuery.Query,
  upgradeQuery.Query,
  evidenceQuery.Query,
  consensusQuery.Query,
  admissionQuery.Query,
  feeMarketQuery.Query,
  clobQuery.Query,
  erc20Query.Query,
  txService.Service,
]
const PLANS = planQueries(SERVICES)

const find = (group: string, name: string): QueryPlan => {
  const plan = PLANS.find((each) => each.group === group && [each.name, ...each.aliases].includes(name))
  if (plan === undefined) throw new TypeError(`no ${group} ${name}`)
  return plan
}

const keyring = new Keyring('/nonexistent', 'test')
const HEX = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'
const ACCOUNT = 'nat10e0525sfrf53yh2aljmm3sn9jq5njk7lw50ga9'
const OPERATOR = 'natvaloper10e0525sfrf53yh2aljmm3sn9jq5njk7llxfx7v'
const CONSENSUS = 'natvalcons10e0525sfrf53yh2aljmm3sn9jq5njk7lt466jd'

const expectRequest = (
  [group, name]: readonly [string, string],
  args: readonly (string | readonly string[])[],
  flags: Readonly<Record<string, unknown>>,
  expected: Record<string, unknown>,
): void => {
  const plan = find(group, name)
  const request = readRequest(plan, args, flags, keyring)
  const desc: DescMessage = plan.method.input
  expect(fromBinary(desc, toBinary(desc, request))).toEqual(create(desc, expected))
}

describe('the commands of queries', () => {
  it('are all methods of all served services, each by one name', () => {
    for (const services of [SERVICES, NATIVE_SERVICES]) {
      const plans = planQueries(services)
      const methods = services.flatMap((service) => service.methods).filter(({ methodKind }) => methodKind === 'unary')
      expect(plans.map(({ method }) => methodPath(method))).toEqual(methods.map(methodPath))
      const names = plans.flatMap(({ group, name, aliases }) => [name, ...aliases].map((each) => `${group} ${each}`))
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it('have names only for methods that there are', () => {
    const paths = new Set(PLANS.map(({ method }) => methodPath(method).slice(1)))
    expect(Object.keys(FRIENDLY).filter((path) => !paths.has(path))).toEqual([])
  })

  it('lie in the groups of their modules, of two versions the stable one first', () => {
    const groups = [...new Set(PLANS.map(({ group }) => group))]
    expect(groups).toEqual([
      'auth',
      'bank',
      'bridge',
      'staking',
      'slashing',
      'distribution',
      'gov',
      'gov-v1beta1',
      'mint',
      'upgrade',
      'evidence',
      'consensus',
      'admission',
      'feemarket',
      'clob',
      'erc20',
      'tx',
    ])
  })

  it('of the EVM have the group of its commands', () => {
    const plans = planQueries([evmQuery.Query]).map(({ group, name }) => `${group} ${name}`)
    expect(plans.slice(0, 3)).toEqual(['evm account', 'evm cosmos-account', 'evm validator-account'])
  })

  it('are in kebab case', () => {
    expect(['AccountAddressByID', 'AllBalances', 'ABCIQuery', 'Bech32Prefix', 'validator_addr'].map(kebab)).toEqual([
      'account-address-by-id',
      'all-balances',
      'abci-query',
      'bech32-prefix',
      'validator-addr',
    ])
  })

  // Names and arguments of the SDK's autocli.go of each module.
  it.each([
    ['auth', 'account', ['address']],
    ['auth', 'module-account', ['name']],
    ['bank', 'balances', ['address']],
    ['bank', 'balance', ['address', 'denom']],
    ['bank', 'spendable-balance', ['address', 'denom']],
    ['bank', 'total', []],
    ['bank', 'total-supply-of', ['denom']],
    ['bank', 'denom-metadata', ['denom']],
    ['bank', 'send-enabled', ['denoms']],
    ['staking', 'validators', []],
    ['staking', 'validator', ['validator_addr']],
    ['staking', 'delegations-to', ['validator_addr']],
    ['staking', 'unbonding-delegations-from', ['validator_addr']],
    ['staking', 'delegation', ['delegator_addr', 'validator_addr']],
    ['staking', 'unbonding-delegation', ['delegator_addr', 'validator_addr']],
    ['staking', 'delegations', ['delegator_addr']],
    ['staking', 'delegator-validator', ['delegator_addr', 'validator_addr']],
    ['staking', 'unbonding-delegations', ['delegator_addr']],
    ['staking', 'redelegation', ['delegator_addr', 'src_validator_addr', 'dst_validator_addr']],
    ['staking', 'historical-info', ['height']],
    ['distribution', 'validator-distribution-info', ['validator_address']],
    ['distribution', 'commission', ['validator_address']],
    ['distribution', 'slashes', ['validator_address', 'starting_height', 'ending_height']],
    ['distribution', 'rewards-by-validator', ['delegator_address', 'validator_address']],
    ['distribution', 'rewards', ['delegator_address']],
    ['distribution', 'community-pool', []],
    ['slashing', 'signing-info', ['cons_address']],
    ['slashing', 'signing-infos', []],
    ['gov', 'proposals', []],
    ['gov', 'proposal', ['proposal_id']],
    ['gov', 'vote', ['proposal_id', 'voter']],
    ['gov', 'votes', ['proposal_id']],
    ['gov', 'deposit', ['proposal_id', 'depositor']],
    ['gov', 'tally', ['proposal_id']],
    ['gov', 'params', ['params_type']],
    ['upgrade', 'plan', []],
    ['upgrade', 'applied', ['name']],
    ['upgrade', 'module-versions', ['module_name']],
    ['consensus', 'params', []],
    ['evidence', 'evidence', ['hash']],
    ['evidence', 'list', []],
    ['mint', 'inflation', []],
    ['admission', 'operator', ['operator_address']],
  ] as const)('%s %s takes what the SDK takes', (group, name, names) => {
    expect(find(group, name).arguments.map(({ field }) => field.name)).toEqual(names)
  })
})

describe('the words of a query', () => {
  it('are addresses in any form, as the field wants them', () => {
    for (const text of [HEX, ACCOUNT, OPERATOR, CONSENSUS]) {
      expectRequest(['bank', 'balance'], [text, 'anat'], {}, { address: ACCOUNT, denom: 'anat' })
      expectRequest(['staking', 'delegation'], [text, text], {}, { delegatorAddr: ACCOUNT, validatorAddr: OPERATOR })
      expectRequest(['slashing', 'signing-info'], [text], {}, { consAddress: CONSENSUS })
    }
    expectRequest(['bank', 'balances'], ['who'], {}, { address: 'who' })
  })

  it('name a consensus key by its public key', () => {
    const key = { '@type': '/cosmos.crypto.ed25519.PubKey', key: Buffer.alloc(32, 5).toString('base64') }
    const request = readRequest(find('slashing', 'signing-info'), [JSON.stringify(key)], {}, keyring)
    expect((request as unknown as { consAddress: string }).consAddress).toMatch(/^natvalcons1/)
  })

  it('are numbers, lists, enums and bytes', () => {
    expectRequest(['gov', 'vote'], ['12', ACCOUNT], {}, { proposalId: 12n, voter: ACCOUNT })
    expectRequest(['bank', 'send-enabled'], [['anat', 'uother']], {}, { denoms: ['anat', 'uother'] })
    for (const text of ['voting-period', 'VOTING_PERIOD', 'PROPOSAL_STATUS_VOTING_PERIOD', '2']) {
      expectRequest(['gov', 'proposals'], [], { proposalStatus: text }, { proposalStatus: 2 })
    }
    const bytes = Uint8Array.of(1, 2, 255)
    for (const text of ['0x0102ff', 'AQL/']) {
      expectRequest(['auth', 'address-bytes-to-string'], [text], {}, { addressBytes: bytes })
    }
    expectRequest(['bank', 'balances'], [ACCOUNT], { resolveDenom: true }, { address: ACCOUNT, resolveDenom: true })
  })

  it('say a page in our flags and in those of the SDK', () => {
    const pagination = { limit: 7n, offset: 3n, countTotal: true, reverse: true }
    const ours = { limit: 7n, offset: 3n, countTotal: true, reverse: true }
    expectRequest(['bank', 'total'], [], ours, { pagination })
    const theirs = { pageLimit: 7n, pageOffset: 3n, pageCountTotal: true, pageReverse: true }
    expectRequest(['bank', 'total'], [], theirs, { pagination })
    expectRequest(['bank', 'total'], [], { pageKey: 'AQI=' }, { pagination: { key: Uint8Array.of(1, 2) } })
    expectRequest(['bank', 'total'], [], {}, {})
  })

  it('are refused where their field cannot hold them', () => {
    const refuse = (group: string, name: string, args: readonly string[], flags = {}): void => {
      const read = () => readRequest(find(group, name), args, flags, keyring)
      expect(read, args.join(' ')).toThrow(expect.objectContaining({ codespace: 'cli', code: 1 }))
    }
    refuse('gov', 'proposal', ['one'])
    refuse('gov', 'proposal', ['-1'])
    refuse('gov', 'proposal', ['18446744073709551616'])
    refuse('gov', 'proposals', [], { proposalStatus: 'maybe' })
    refuse('bank', 'balances', ['nat10e0525sfrf53yh2aljmm3sn9jq5njk7lw50ga8'])
    refuse('auth', 'address-bytes-to-string', ['!'])
  })
})

describe('help', () => {
  it('says of every method of this chain what it tells', () => {
    const own = NATIVE_SERVICES.filter(({ typeName }) => typeName.startsWith('nat.'))
    const names = own.flatMap(({ typeName, methods }) => methods.map(({ name }) => `${typeName}/${name}`))
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter((name) => SUMMARIES[name] === undefined)).toEqual([])
  })

  it('has the sentence in the list of a group, and the method with it in its own', () => {
    const clob = createQueryProgram().commands.find((command) => command.name() === 'clob')
    expect(clob?.helpInformation()).toMatch(/depth \[options\] <market> +The book by prices \(L2\), the best first$/m)
    const depth = clob?.commands.find((command) => command.name() === 'depth')
    expect(depth?.helpInformation()).toContain('The book by prices (L2), the best first. (nat.clob.v1.Live/Depth)')
  })
})
