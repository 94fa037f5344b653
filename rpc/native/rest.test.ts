/** Parameters, routes, heights and verbs of native REST, as grpc-gateway 1.16 has them in the Cosmos SDK. */
import { describe, expect, test } from 'vitest'
import {
  authQuery,
  bankQuery,
  cometQuery,
  distributionQuery,
  erc20Query,
  evidenceQuery,
  feeMarketQuery,
  govBetaQuery,
  govQuery,
  admissionQuery,
  consensusQuery,
  slashingQuery,
  stakingQuery,
  txService,
  upgradeQuery,
} from '../../proto/index.ts'
import { useNativeGateway } from '../testing/native-gateway.ts'
import { createRoutes } from './routes.ts'
import { methodPath, NATIVE_SERVICES } from './services.ts'

const gateway = useNativeGateway()

const NOT_IMPLEMENTED = '{"code":12,"message":"Not Implemented","details":[]}'

describe('routes', () => {
  test('lead every service of the modules to its method', async () => {
    const cases = [
      [
        '/cosmos/staking/v1beta1/validators/v/delegations/d/unbonding_delegation',
        stakingQuery.Query.method.unbondingDelegation,
      ],
      ['/cosmos/staking/v1beta1/delegators/d/validators/v', stakingQuery.Query.method.delegatorValidator],
      ['/cosmos/slashing/v1beta1/signing_infos/c', slashingQuery.Query.method.signingInfo],
      ['/cosmos/distribution/v1beta1/delegators/d/rewards/v', distributionQuery.Query.method.delegationRewards],
      ['/cosmos/distribution/v1beta1/delegators/d/rewards', distributionQuery.Query.method.delegationTotalRewards],
      ['/cosmos/gov/v1/proposals/1/tally', govQuery.Query.method.tallyResult],
      ['/cosmos/gov/v1beta1/proposals/1/tally', govBetaQuery.Query.method.tallyResult],
      ['/cosmos/gov/v1/params/voting', govQuery.Query.method.params],
      ['/cosmos/upgrade/v1beta1/applied_plan/x', upgradeQuery.Query.method.appliedPlan],
      ['/cosmos/evidence/v1beta1/evidence/AB', evidenceQuery.Query.method.evidence],
      ['/cosmos/consensus/v1/params', consensusQuery.Query.method.params],
      ['/cosmos/evm/feemarket/v1/base_fee', feeMarketQuery.Query.method.baseFee],
      ['/nat/admission/v1/operators/o', admissionQuery.Query.method.operator],
      ['/nat/erc20/v1/tokens', erc20Query.Query.method.tokens],
      ['/nat/erc20/v1/tokens/erc20/0x01', erc20Query.Query.method.token],
      ['/nat/erc20/v1/views/ibc/27', erc20Query.Query.method.view],
    ] as const
    for (const [path, method] of cases) {
      gateway().answerWith(method.output)
      expect((await gateway().get(path)).status, path).toBe(200)
      expect(gateway().asked(method.input).path).toBe(methodPath(method))
    }
  })

  test('have one method each; of the two that the SDK has at one path the text decides', async () => {
    const shapes = new Map<string, string[]>()
    for (const { verb, segments, method } of createRoutes(NATIVE_SERVICES).all) {
      const shape = `${verb} ${segments.map((segment) => ('word' in segment ? segment.word : '*')).join('/')}`
      shapes.set(shape, [...(shapes.get(shape) ?? []), method.name])
    }
    const conflicts = [...shapes].filter(([, methods]) => methods.length > 1)
    expect(conflicts).toEqual([['GET cosmos/auth/v1beta1/bech32/*', ['AddressBytesToString', 'AddressStringToBytes']]])
    const { addressBytesToString, addressStringToBytes } = authQuery.Query.method
    gateway().answerWith(addressBytesToString.output)
    await gateway().get('/cosmos/auth/v1beta1/bech32/Hj_-AAAAAAAAAAAAAAAAAAAAAAA=')
    const bytes = gateway().asked(addressBytesToString.input)
    expect(bytes.path).toBe(methodPath(addressBytesToString))
    expect(bytes.message).toEqual({ addressBytes: Buffer.from('Hj/+AAAAAAAAAAAAAAAAAAAAAAA=', 'base64') })
    const text = 'nat1zg69v7yszg69v7yszg69v7yszg69v7ysf9npd4'
    await gateway().get(`/cosmos/auth/v1beta1/bech32/${text}`)
    expect(gateway().asked(addressStringToBytes.input)).toMatchObject({
      path: methodPath(addressStringToBytes),
      message: { addressString: text },
    })
  })

  test('take fixed words before fields, and all that is left where the template says so', async () => {
    const { getLatestBlock, getBlockByHeight } = cometQuery.Service.method
    gateway().answerWith(getLatestBlock.output)
    await gateway().get('/cosmos/base/tendermint/v1beta1/blocks/latest')
    expect(gateway().asked(getLatestBlock.input).path).toBe(methodPath(getLatestBlock))
    await gateway().get('/cosmos/base/tendermint/v1beta1/blocks/7')
    expect(gateway().asked(getBlockByHeight.input)).toMatchObject({ message: { height: 7n } })
    const { denomMetadata } = bankQuery.Query.method
    gateway().answerWith(denomMetadata.output)
    await gateway().get('/cosmos/bank/v1beta1/denoms_metadata/factory/nat1x/coin')
    expect(gateway().asked(denomMetadata.input).message).toMatchObject({ denom: 'factory/nat1x/coin' })
  })

  test('that are unknown, of another verb or gone answer 501', async () => {
    const replies = [
      await gateway().get('/cosmos/params/v1beta1/params'),
      await gateway().get('/cosmos/bank/v1beta1/supply', {}, 'DELETE'),
      await gateway().get('/cosmos/bank/v1beta1/supply', {}, 'OPTIONS'),
      await gateway().post('/cosmos/bank/v1beta1/supply', '{}'),
      await gateway().get(`/${'a/'.repeat(500)}`),
      await gateway().get('//'),
    ]
    for (const { status, text } of replies) expect([status, text]).toEqual([501, NOT_IMPLEMENTED])
    expect(gateway().application.asked).toEqual([])
  })
})

describe('parameters', () => {
  const { proposals } = govQuery.Query.method
  const ask = async (query: string) => {
    gateway().answerWith(proposals.output)
    const reply = await gateway().get(`/cosmos/gov/v1/proposals?${query}`)
    return { ...reply, message: reply.status === 200 ? gateway().asked(proposals.input).message : undefined }
  }

  test('take enums by name or number', async () => {
    const named = await ask('proposal_status=PROPOSAL_STATUS_VOTING_PERIOD')
    expect(named.message).toMatchObject({ proposalStatus: 2 })
    expect((await ask('proposal_status=2')).message).toMatchObject({ proposalStatus: 2 })
    for (const wrong of ['VOTING', '99', '']) expect((await ask(`proposal_status=${wrong}`)).status, wrong).toBe(400)
  })

  test('take names as in the .proto file or in camel case, and members of messages behind dots', async () => {
    const { message } = await ask('proposalStatus=1&pagination.limit=3&pagination.countTotal=t&pagination.reverse=TRUE')
    expect(message).toMatchObject({ proposalStatus: 1, pagination: { limit: 3n, countTotal: true, reverse: true } })
  })

  test('take bytes in base64 of both alphabets, padded or not, a plus sign also as the space that it became', async () => {
    const key = Buffer.of(0xfb, 0xef, 0xff, 0xfe)
    for (const text of ['%2B%2B%2F%2F%2Fg%3D%3D', '--___g==', '--___g', '++///g==']) {
      const { message } = await ask(`pagination.key=${text}`)
      expect(message, text).toMatchObject({ pagination: { key } })
    }
    for (const wrong of ['%25', 'a', 'ab=c', '+-//']) {
      expect((await ask(`pagination.key=${wrong}`)).status, wrong).toBe(400)
    }
  })

  test('pass over names that nobody knows, and refuse members of what is no message', async () => {
    expect((await ask('nope=1&pagination.nope=2&x.y.z=3')).status).toBe(200)
    const reply = await ask('voter.name=1')
    expect(JSON.parse(reply.text)).toEqual({
      code: 3,
      message: 'non-aggregate type in the mid of path: voter.name',
      details: [],
    })
  })

  test('of a wrong type answer 400 with code 3, in the words of Go', async () => {
    const cases = [
      ['pagination.limit=x', 'strconv.ParseUint: parsing "x": invalid syntax'],
      ['pagination.limit=-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
      ['pagination.limit=', 'strconv.ParseUint: parsing "": invalid syntax'],
      ['pagination.limit=0x10', 'strconv.ParseUint: parsing "0x10": invalid syntax'],
      [
        'pagination.limit=18446744073709551616',
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
      ],
      ['pagination.reverse=yes', 'strconv.ParseBool: parsing "yes": invalid syntax'],
      ['pagination=x', '"x" is not a valid cosmos.base.query.v1beta1.PageRequest'],
    ] as const
    for (const [query, message] of cases) {
      const { status, text } = await ask(query)
      expect([status, JSON.parse(text)], query).toEqual([400, { code: 3, message, details: [] }])
    }
    const path = await gateway().get('/cosmos/gov/v1/proposals/nine')
    expect(JSON.parse(path.text)).toMatchObject({
      code: 3,
      message: 'type mismatch, parameter: proposal_id, error: strconv.ParseUint: parsing "nine": invalid syntax',
    })
    const digits = await ask(`pagination.limit=${'9'.repeat(5_000)}`)
    expect(digits.status).toBe(400)
  })

  test('take the largest numbers of 64 bits', async () => {
    const { message } = await ask('pagination.limit=18446744073709551615')
    expect(message).toMatchObject({ pagination: { limit: 2n ** 64n - 1n } })
  })

  test('of the query take lists, and none that the path has already', async () => {
    const { getTxsEvent } = txService.Service.method
    gateway().answerWith(getTxsEvent.output)
    await gateway().get('/cosmos/tx/v1beta1/txs?events=a&events=b&order_by=ORDER_BY_DESC&page=2')
    expect(gateway().asked(getTxsEvent.input).message).toMatchObject({ events: ['a', 'b'], orderBy: 2, page: 2n })
    const { balance } = bankQuery.Query.method
    gateway().answerWith(balance.output)
    await gateway().get('/cosmos/bank/v1beta1/balances/one/by_denom?denom=anat&address=two')
    expect(gateway().asked(balance.input).message).toEqual({ address: 'one', denom: 'anat' })
  })

  test('in a body are JSON: bytes in base64, enums by name or number, nothing unknown', async () => {
    const { broadcastTx } = txService.Service.method
    gateway().answerWith(broadcastTx.output)
    for (const mode of ['"BROADCAST_MODE_SYNC"', '2']) {
      const { status } = await gateway().post('/cosmos/tx/v1beta1/txs', `{"tx_bytes":"AQI=","mode":${mode}}`)
      expect(status).toBe(200)
      expect(gateway().asked(broadcastTx.input).message).toEqual({ txBytes: Buffer.of(1, 2), mode: 2 })
    }
    for (const body of ['{', '[]', '7', '{"tx_bytes":7}', '{"nope":1}', '{"mode":"NOPE"}']) {
      const { status, text } = await gateway().post('/cosmos/tx/v1beta1/txs', body)
      expect([status, (JSON.parse(text) as { code: number }).code], body).toEqual([400, 3])
    }
    const large = await gateway().post('/cosmos/tx/v1beta1/txs', `"${'x'.repeat(1_100_000)}"`)
    expect([large.status, large.text]).toEqual([
      400,
      '{"code":3,"message":"http: request body too large","details":[]}',
    ])
  })
})

describe('heights', () => {
  const path = '/cosmos/bank/v1beta1/supply'
  const at = (height: string, name = 'x-cosmos-block-height') => {
    gateway().answerWith(bankQuery.QueryTotalSupplyResponseSchema)
    return gateway().get(path, { [name]: height })
  }

  test('0 and none are the newest', async () => {
    expect((await at('0')).height).toBe('7')
    expect((await at('')).height).toBe('7')
    expect(gateway().asked(bankQuery.QueryTotalSupplyRequestSchema).height).toBe(0)
  })

  test('come in the header of grpc-gateway too', async () => {
    expect((await at('4', 'grpc-metadata-x-cosmos-block-height')).height).toBe('4')
    expect(gateway().asked(bankQuery.QueryTotalSupplyRequestSchema).height).toBe(4)
  })

  test('that are to come answer code 2 with the SDK error, what is no height code 3', async () => {
    const future = await at('8')
    expect([future.status, future.height, JSON.parse(future.text)]).toEqual([
      500,
      null,
      {
        code: 2,
        message:
          'codespace sdk code 26: invalid height: cannot query with height in the future; please provide a valid height',
        details: [],
      },
    ])
    for (const wrong of ['x', '-1', '1.5', '0x1', '99999999999999999999']) {
      const { status, text } = await at(wrong)
      expect([status, (JSON.parse(text) as { code: number }).code], wrong).toEqual([400, 3])
    }
  })
})

test('HEAD answers as GET does, without the body', async () => {
  gateway().answerWith(bankQuery.QueryTotalSupplyResponseSchema)
  const { text: body } = await gateway().get('/cosmos/bank/v1beta1/supply')
  const response = await fetch(`${gateway().url}/cosmos/bank/v1beta1/supply`, { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([200, ''])
  expect(response.headers.get('content-length')).toBe(String(body.length))
})

describe('what the application is made of', () => {
  const json = async (path: string): Promise<unknown> => JSON.parse((await gateway().get(path)).text)

  test('is told without asking it', async () => {
    const base = '/cosmos/base/reflection/v1beta1'
    const { interface_names: names } = (await json(`${base}/interfaces`)) as { interface_names: string[] }
    expect(names).toContain('cosmos.base.v1beta1.Msg')
    expect(names).toContain('cosmos.crypto.PubKey')
    const messages = await json(`${base}/interfaces/cosmos.base.v1beta1.Msg/implementations`)
    expect(messages).toMatchObject({
      implementation_message_names: expect.arrayContaining(['/cosmos.bank.v1beta1.MsgSend', '/cosmos.gov.v1.MsgVote']),
    })
    expect(await json(`${base}/interfaces/no.Such/implementations`)).toMatchObject({ code: 5 })
    expect(await json(`${base}/app_descriptor/chain`)).toEqual({ chain: { id: 'localnat-1' } })
    expect(await json(`${base}/app_descriptor/configuration`)).toEqual({
      config: { bech32_account_address_prefix: 'nat' },
    })
    expect(await json(`${base}/app_descriptor/authn`)).toMatchObject({
      authn: { sign_modes: [{ name: 'SIGN_MODE_DIRECT' }, { name: 'SIGN_MODE_LEGACY_AMINO_JSON', number: 127 }] },
    })
    expect(await json(`${base}/app_descriptor/tx_descriptor`)).toMatchObject({
      tx: { msgs: expect.arrayContaining([{ msg_type_url: '/cosmos.staking.v1beta1.MsgDelegate' }]) },
    })
    expect(await json(`${base}/app_descriptor/query_services`)).toMatchObject({
      queries: {
        query_services: expect.arrayContaining([
          expect.objectContaining({ fullname: 'cosmos.bank.v1beta1.Query', is_module: true }),
        ]),
      },
    })
    expect(await json(`${base}/app_descriptor/codec`)).toMatchObject({
      codec: {
        interfaces: expect.arrayContaining([expect.objectContaining({ fullname: 'cosmos.auth.v1beta1.AccountI' })]),
      },
    })
    expect(gateway().application.asked).toEqual([])
  })
})
