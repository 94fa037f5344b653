/** Transactions as JSON: what REST prints it reads again, to the same bytes, with decimals as the Cosmos SDK has them. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToUtf8 } from '../../core/bytes.ts'
import {
  distributionTx,
  feeMarketTx,
  govBetaTx,
  govTx,
  mintTx,
  slashingTx,
  stakingTx,
  type tx,
  txService,
} from '../../proto/index.ts'
import { createMessagePrinter } from './print-message.ts'
import { readRequest } from './read-request.ts'
import { createTypeRegistry, MESSAGE_SERVICES, NATIVE_SERVICES, PACKED_FILES } from './services.ts'
import { type Random, randomMessage } from './testing/random-message.ts'

const registry = createTypeRegistry(NATIVE_SERVICES)
const printer = createMessagePrinter(registry)

const NONE = new Uint8Array(0)

const schema = txService.TxEncodeRequestSchema

/** Reads a body of POST /cosmos/tx/v1beta1/encode. */
const read = (body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = readRequest(schema, { fields: {}, query: '', body: text }, registry)
  return (request as MessageShape<typeof schema>).tx?.body?.messages ?? []
}

const readSole = <Desc extends DescMessage>(desc: Desc, members: object) => {
  const [message] = read({ tx: { body: { messages: [{ '@type': `/${desc.typeName}`, ...members }] } } })
  expect(message?.typeUrl).toBe(`/${desc.typeName}`)
  return fromBinary(desc, message?.value ?? NONE)
}

const refusal = (desc: DescMessage, members: object): unknown => {
  try {
    return readSole(desc, members)
  } catch (error) {
    return error
  }
}

/** Mulberry32: a failure names its seed, and the seed repeats it. */
const createRandom = (seed: number): Random => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const seed = Number(process.env['SEED'] ?? 1)

describe('decimals', () => {
  it('have a point in JSON, and are integers of 10^-18 parts in the message', () => {
    for (const [written, wire] of [
      ['0.1', '100000000000000000'],
      ['1', '1000000000000000000'],
      ['0.100000000000000000', '100000000000000000'],
      ['-0.000000000000000001', '-1'],
      ['0', '0'],
    ] as const) {
      const { commissionRate } = readSole(stakingTx.MsgEditValidatorSchema, { commission_rate: written })
      expect(commissionRate, written).toBe(wire)
    }
    expect(readSole(stakingTx.MsgEditValidatorSchema, { commission_rate: null }).commissionRate).toBe('')
    expect(readSole(stakingTx.MsgEditValidatorSchema, { commissionRate: '1' }).commissionRate).toBe(`${10n ** 18n}`)
  })

  it('are read within messages and lists', () => {
    const commission = { rate: '0.1', max_rate: '1', max_change_rate: '0.01' }
    expect(readSole(stakingTx.MsgCreateValidatorSchema, { commission }).commission).toMatchObject({
      rate: '100000000000000000',
      maxRate: '1000000000000000000',
      maxChangeRate: '10000000000000000',
    })
    const options = [
      { option: 'VOTE_OPTION_YES', weight: '0.75' },
      { option: 'VOTE_OPTION_NO', weight: '1' },
    ]
    expect(readSole(govBetaTx.MsgVoteWeightedSchema, { options }).options).toMatchObject([
      { weight: '750000000000000000' },
      { weight: '1000000000000000000' },
    ])
  })

  it('of v1 votes are texts of the message itself, which nothing scales', () => {
    const options = [{ option: 'VOTE_OPTION_YES', weight: '0.5' }]
    expect(readSole(govTx.MsgVoteWeightedSchema, { options }).options).toMatchObject([{ weight: '0.5' }])
  })

  it('that are bytes hold the text of the integer, also within a proposal', () => {
    const update = {
      '@type': `/${slashingTx.MsgUpdateParamsSchema.typeName}`,
      params: { signed_blocks_window: '7', min_signed_per_window: '0.5', slash_fraction_downtime: '0.01' },
    }
    const [packed] = readSole(govTx.MsgSubmitProposalSchema, { messages: [update] }).messages
    const { params } = fromBinary(slashingTx.MsgUpdateParamsSchema, packed?.value ?? NONE)
    expect(params?.signedBlocksWindow).toBe(7n)
    expect(bytesToUtf8(params?.minSignedPerWindow ?? NONE)).toBe('500000000000000000')
    expect(bytesToUtf8(params?.slashFractionDowntime ?? NONE)).toBe('10000000000000000')
  })

  it('of parameters are read in every module', () => {
    const members = (field: string) => ({ params: { [field]: '0.02' } })
    const wire = '20000000000000000'
    expect(readSole(stakingTx.MsgUpdateParamsSchema, members('min_commission_rate')).params?.minCommissionRate).toBe(
      wire,
    )
    expect(readSole(mintTx.MsgUpdateParamsSchema, members('goal_bonded')).params?.goalBonded).toBe(wire)
    expect(readSole(distributionTx.MsgUpdateParamsSchema, members('community_tax')).params?.communityTax).toBe(wire)
    expect(readSole(feeMarketTx.MsgUpdateParamsSchema, members('min_gas_price')).params?.minGasPrice).toBe(wire)
  })

  it('that are none are refused with grpc/3', () => {
    for (const rate of [
      '',
      'x',
      '.1',
      '1.',
      '0.1.1',
      '1e3',
      '0.1234567890123456789',
      '9'.repeat(1_000_000),
      0.1,
      1,
      {},
      ['1'],
    ]) {
      const error = refusal(stakingTx.MsgEditValidatorSchema, { commission_rate: rate })
      expect(error, String(rate).slice(0, 30)).toMatchObject({ codespace: 'grpc', code: 3 })
      expect(String(error).length).toBeLessThan(300)
    }
  })
})

it('messages that nest too deep are refused with grpc/3', () => {
  for (const levels of [60, 1_000]) {
    const messages = '{"@type":"/cosmos.gov.v1.MsgSubmitProposal","messages":['.repeat(levels) + ']}'.repeat(levels)
    const body = `{"tx":{"body":{"messages":[${messages}]}}}`
    expect(() => read(body)).toThrow(/maximum recursion depth/)
  }
})

describe('a transaction that REST printed', () => {
  const inputs = MESSAGE_SERVICES.flatMap(({ methods }) => methods.map(({ input }) => input))
  const packed = [...new Set([...inputs, ...PACKED_FILES.flatMap(({ messages }) => messages)])]
  /** Transactions hold bytes of others, or any type at all. */
  const carried = packed.filter(({ typeName }) => !typeName.startsWith('cosmos.tx.'))

  it.each(packed)('$typeName is read to the same bytes', (desc) => {
    const random = createRandom(seed)
    for (let round = 0; round < 20; round++) {
      const value = toBinary(desc, randomMessage(desc, carried, random))
      const body: MessageInitShape<typeof tx.TxBodySchema> = { messages: [{ typeUrl: `/${desc.typeName}`, value }] }
      const text = printer.print(schema, create(schema, { tx: { body, authInfo: { fee: {} }, signatures: [] } }))
      const [again] = read(text)
      expect(Buffer.from(again?.value ?? []).toString('base64'), `SEED=${seed}, round ${round}: ${text}`).toBe(
        Buffer.from(value).toString('base64'),
      )
    }
  })
})
