import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { moduleAddress, parseAddress } from '../../core/address.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { parseGenesis, parseGenesisBytes } from './genesis.ts'

const ADDRESS = '0x00000000000000000000000000000000000000aa'
const coin = (denom: unknown, amount: unknown = '1') => ({ denom, amount })
const holder = (coins: unknown, address: unknown = ADDRESS) => ({ address, coins })

const VALID = {
  evm: {
    chain_id: 2517,
    hardforks: { cancun: 0, prague: '5', osaka: 9 },
    accounts: [{ address: ADDRESS, nonce: 3, code: '0x6000', storage: { '0x01': '0x0002', '0x03': '0x' } }],
  },
  bank: { balances: [holder([coin('anat', '5'), coin('ibc/1')])], supply: [coin('anat', '5')] },
  feemarket: { base_fee: '2000000000', min_base_fee: '1900000000', elasticity_multiplier: 4 },
  consensus: {},
}

/** Replaces one member, or adds it; `path` as error messages write it. */
const withMember = (path: string, value: unknown): unknown => {
  const copy: Record<string, unknown> = structuredClone(VALID)
  const names = path.replaceAll('[', '.').replaceAll(']', '').split('.')
  let at = copy
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>
  at[names.at(-1) ?? ''] = value
  return copy
}

const refusal = (genesis: unknown, chainId = 'localnat-1'): string => {
  try {
    parseGenesis(genesis, chainId)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    expect([error.codespace, error.code]).toEqual(['genesis', 1])
    return error.message
  }
  return 'accepted'
}

describe('the genesis', () => {
  it('is parsed with its forks, contracts and members', () => {
    const genesis = parseGenesis(VALID, 'localnat-1')
    expect(genesis.evmChainId).toBe(2517n)
    expect(genesis.hardforks.map(({ hardfork, timestamp }) => `${hardfork} ${timestamp}`)).toEqual([
      'cancun 0',
      'prague 5',
      'osaka 9',
    ])
    const [contract] = genesis.contracts
    expect(contract).toMatchObject({ nonce: 3n, code: Uint8Array.of(0x60, 0) })
    expect(contract?.storage.map(([slot, value]) => [bytesToHex(slot), bytesToHex(value)])).toEqual([
      [`0x${'00'.repeat(31)}01`, '0x02'],
      [`0x${'00'.repeat(31)}03`, '0x'],
    ])
    expect(parseGenesis({ evm: { chain_id: '7' } }, 'else-1')).toMatchObject({
      evmChainId: 7n,
      hardforks: [{ hardfork: 'osaka', timestamp: 0 }],
    })
    expect(refusal(withMember('bank.balances[0].address', encodeBech32(parseAddress(ADDRESS))))).toBe('accepted')
  })

  const wrong: readonly (readonly [path: string, value: unknown, at: string, text: RegExp])[] = [
    ['stakes', {}, 'app_state.stakes', /unknown field; known are evm, auth, bank, distribution, staking/],
    ['evm.chainId', 1, 'app_state.evm.chainId', /unknown field/],
    ['evm', [], 'app_state.evm', /must be an object/],
    ['evm.chain_id', 0, 'app_state.evm.chain_id', /must not be zero/],
    ['evm.chain_id', -1, 'app_state.evm.chain_id', /non-negative integer/],
    ['evm.chain_id', undefined, 'app_state.evm.chain_id', /non-negative integer/],
    ['evm.chain_id', 2518, 'app_state.evm.chain_id', /is 2518, but localnat-1 has the EVM chain id 2517/],
    ['evm.hardforks', { prague: 5 }, 'app_state.evm.hardforks', /first fork must begin at timestamp 0/],
    ['evm.hardforks', {}, 'app_state.evm.hardforks', /first fork must begin at timestamp 0/],
    ['evm.hardforks', { cancun: 0, prague: 9, osaka: 8 }, 'app_state.evm.hardforks.osaka', /not begin before prague/],
    ['evm.hardforks.london', 0, 'app_state.evm.hardforks.london', /unknown field; known are cancun, prague, osaka/],
    ['evm.accounts[1]', { address: ADDRESS }, 'app_state.evm.accounts[1].address', /duplicate account/],
    ['evm.accounts[0].address', '0x12', 'app_state.evm.accounts[0].address', /20 bytes/],
    [
      'evm.accounts[0].address',
      bytesToHex(moduleAddress('bank')),
      'app_state.evm.accounts[0].address',
      /is the account of the bank module/,
    ],
    ['evm.accounts[0].balance', '1', 'app_state.evm.accounts[0].balance', /unknown field/],
    ['evm.accounts[0].code', '0x6', 'app_state.evm.accounts[0].code', /hexadecimal/],
    [
      'evm.accounts[0].code',
      `0x${'00'.repeat(24_577)}`,
      'app_state.evm.accounts[0].code',
      /24577 bytes, at most 24576/,
    ],
    ['evm.accounts[0].storage', { x: '0x' }, 'app_state.evm.accounts[0].storage', /hexadecimal/],
    ['evm.accounts[0].storage', { '0x01': 1 }, 'app_state.evm.accounts[0].storage.0x01', /must be a string/],
    ['evm.accounts[0].storage', [], 'app_state.evm.accounts[0].storage', /must be an object/],
    [
      'evm.accounts[0].storage',
      { '0x01': '0x05', '0x0001': '0x06' },
      'app_state.evm.accounts[0].storage.0x0001',
      /duplicate slot/,
    ],
    ['bank.balances[1]', holder([]), 'app_state.bank.balances[1].address', /duplicate account/],
    ['bank.balances[0].address', 'cosmos1abc', 'app_state.bank.balances[0].address', /bech32/],
    ['bank.balances[0].coins', {}, 'app_state.bank.balances[0].coins', /must be an array/],
    [
      'bank.balances[0].coins[2]',
      coin('anat'),
      'app_state.bank.balances[0].coins[2].denom',
      /duplicate denomination anat/,
    ],
    ['bank.balances[0].coins[1]', coin('wei'), 'app_state.bank.balances[0].coins[1].denom', /wrong denomination wei/],
    ['bank.balances[0].coins[1]', coin('unat'), 'app_state.bank.balances[0].coins[1].denom', /wrong denomination unat/],
    ['bank.balances[0].coins[1]', coin('1x'), 'app_state.bank.balances[0].coins[1].denom', /invalid denom/],
    ['bank.balances[0].coins[1].amount', 5, 'app_state.bank.balances[0].coins[1].amount', /decimal string/],
    ['bank.balances[0].coins[1].amount', '-5', 'app_state.bank.balances[0].coins[1].amount', /decimal string/],
    ['bank.balances[0].coins[1].amount', '05', 'app_state.bank.balances[0].coins[1].amount', /decimal string/],
    [
      'bank.balances[0].coins[1].amount',
      (2n ** 256n).toString(),
      'app_state.bank.balances[0].coins[1].amount',
      /below 2\^256/,
    ],
    ['bank.supply[0]', coin('anat', '6'), 'app_state.bank.supply[0]', /is 6, but the balances sum to 5/],
    ['bank.params', { other: 1 }, 'app_state.bank.params.other', /unknown field/],
    ['feemarket.base_fee', '1899999999', 'app_state.feemarket.base_fee', /must not be below min_base_fee/],
    ['feemarket.elasticity_multiplier', 0, 'app_state.feemarket.elasticity_multiplier', /between 1 and 1000/],
    ['feemarket.base_fee_change_denominator', 'x', 'app_state.feemarket.base_fee_change_denominator', /integer/],
    ['feemarket.no_base_fee', true, 'app_state.feemarket.no_base_fee', /unknown field/],
    ['consensus.params', {}, 'app_state.consensus.params', /unknown field; known are validator_sets/],
  ]
  it.each(wrong)('refuses %s = %j and names %s', (path, value, at, text) => {
    const message = refusal(withMember(path, value))
    expect(message.slice(0, at.length + 2)).toBe(`${at}: `)
    expect(message).toMatch(text)
  })

  it('refuses what is no genesis at all', () => {
    for (const nothing of [null, 5, 'x', [], undefined]) expect(refusal(nothing)).toBe('app_state: must be an object')
    expect(() => parseGenesisBytes(utf8ToBytes('{'), 'x')).toThrow(/^app_state is not valid JSON/)
  })

  it('refuses balances whose sum no supply can hold', () => {
    const most = (2n ** 256n - 1n).toString()
    const other = '0x00000000000000000000000000000000000000bb'
    const balances = [holder([coin('ibc/1', most)]), holder([coin('ibc/1')], other)]
    expect(refusal({ ...VALID, bank: { balances } })).toBe(
      'app_state.bank.balances: the supply of ibc/1 would pass 2^256',
    )
  })
})
