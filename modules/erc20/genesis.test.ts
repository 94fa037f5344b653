import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { parseErc20Genesis } from './genesis/parse.ts'
import { bytesToHex } from '../../core/hex.ts'
import { viewAddress } from './index.ts'
import { DEFAULT_PARAMS } from './params.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`
const TOKEN = {
  ...{ address: ADDRESS, denom: `erc20/${ADDRESS}`, name: 'Token', symbol: 'TOK', decimals: 6, deposits_enabled: true },
  ...{ booked: '5', measured: '7', measured_height: '3' },
}
const VIEW = { denom: 'ibc/27', address: bytesToHex(viewAddress('ibc/27')) }
const ALLOWANCE = { denom: 'ibc/27', owner: ADDRESS, spender: OTHER, amount: '9' }

const faultOf = (genesis: unknown): string => {
  try {
    parseErc20Genesis(genesis)
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'genesis' && error.code === 1) return error.message
    throw error
  }
  return 'none'
}

describe('the genesis of the converter', () => {
  it('needs nothing', () => {
    const nothing = { params: DEFAULT_PARAMS, tokens: [], views: [], allowances: [] }
    expect([parseErc20Genesis(undefined), parseErc20Genesis({})]).toEqual([nothing, nothing])
  })

  it('has tokens, views and allowances', () => {
    const parsed = parseErc20Genesis({ tokens: [TOKEN], views: [VIEW, { denom: 'other' }], allowances: [ALLOWANCE] })
    expect(parsed).toMatchObject({
      tokens: [{ name: 'Token', booked: 5n, measured: 7n, measuredHeight: 3 }],
      views: ['ibc/27', 'other'],
      allowances: [{ view: viewAddress('ibc/27'), amount: 9n }],
    })
  })

  it.each([
    [{ more: 1 }, 'app_state.erc20.more'],
    [{ tokens: {} }, 'app_state.erc20.tokens'],
    [{ tokens: [TOKEN, TOKEN] }, 'app_state.erc20.tokens[1]: stands in the list twice'],
    [{ tokens: [{ ...TOKEN, denom: `erc20/${OTHER}` }] }, 'denom'],
    [{ tokens: [{ ...TOKEN, booked: '8' }] }, 'only 7 were measured'],
    [{ tokens: [{ ...TOKEN, measured: `${2n ** 256n}` }] }, 'app_state.erc20.tokens[0]'],
    [{ tokens: [{ ...TOKEN, name: '' }] }, 'name'],
    [{ tokens: [{ ...TOKEN, symbol: 'a\u202e' }] }, 'symbol'],
    [{ tokens: [{ ...TOKEN, decimals: 78 }] }, 'decimals'],
    [{ tokens: [{ ...TOKEN, measured_height: `${2n ** 60n}` }] }, 'measured_height'],
    [{ tokens: [{ ...TOKEN, extra: 1 }] }, 'app_state.erc20.tokens[0]'],
    [{ views: [VIEW, { denom: 'ibc/27' }] }, 'twice'],
    [{ views: [{ denom: 'anat' }] }, 'native coin'],
    [{ views: [{ ...VIEW, address: OTHER }] }, 'address'],
    [{ allowances: [ALLOWANCE] }, 'has no view'],
    [{ views: [VIEW], allowances: [{ ...ALLOWANCE, amount: '0' }] }, 'amount'],
    [
      { params: { enabled: true, registration_fee: '0', transfer_gas: '1', view_gas: '50000' } },
      'app_state.erc20.params',
    ],
  ])('refuses %j', (genesis, fault) => {
    expect(faultOf(genesis)).toContain(fault)
  })
})
