import { type Hex, keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { DEVNET_MNEMONIC, devnetAccounts } from '../keys/devnet-accounts.ts'
import { createGenesis, type GenesisDocument } from '../../node/genesis/document.ts'
import { addAccount, addValidator, parseCoins } from './edit.ts'
import { addPredeploys, readPredeploys } from './predeploys.ts'
import { addTestMarkets, TEST_COINS } from './test-markets.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const CAROL = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const KEY = Buffer.alloc(32, 9).toString('base64')

const empty = createGenesis('localnat-1', 2517n, '2026-01-01T00:00:00Z')
const funded = addValidator(addAccount(addAccount(empty, ALICE, '5nat'), BOB, '7anat'), {
  publicKey: KEY,
  power: 10,
  name: 'one',
})

/** A deep copy with one member changed. */
const changed = (path: string, value: unknown, document: unknown = funded): unknown => {
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, copy)
  parent[last] = value
  return copy
}

describe('contracts in the genesis of a devnet', () => {
  it('have the code that is recorded, a licence and a source each, and make a valid genesis', () => {
    const predeploys = readPredeploys()
    for (const { name, code, codeHash, licence, source } of predeploys) {
      expect(keccak256(code as Hex), name).toBe(codeHash)
      expect([licence, source].every((text) => text.length > 2)).toBe(true)
    }
    const document = addPredeploys(funded)
    expect(document.app_state['evm']).toMatchObject({ accounts: predeploys.map(({ address }) => ({ address })) })
    expect(validateGenesis(document, 'genesis.json').accountCount).toBe(2)
  })
})

describe('a genesis file', () => {
  it('is valid when made by the commands, and its supply is the sum of the balances', () => {
    expect(validateGenesis(funded, 'genesis.json')).toMatchObject({
      chainId: 'localnat-1',
      evmChainId: 2517n,
      initialHeight: 1,
      accountCount: 2,
      validatorCount: 1,
    })
    expect(funded.app_state.bank.supply).toEqual([{ denom: 'anat', amount: '15000000000000000007' }])
  })

  it.each<readonly [path: string, value: unknown, message: string]>([
    ['color', 'red', 'genesis.color: unknown field'],
    ['app_state.colour', {}, 'app_state.colour: unknown field'],
    ['app_state.staking', undefined, 'made anew with "chain genesis add-validator"'],
    ['validators.0.power', '11', 'validators: 0 in the order of keys has power 11, but 10 NAT are staked'],
    ['app_state.bank.balances.1.address', ALICE, 'app_state.bank.balances[1].address: duplicate account'],
    [
      'app_state.bank.balances.0.coins.0.denom',
      'nat',
      'app_state.bank.balances[0].coins[0].denom: wrong denomination nat',
    ],
    ['app_state.bank.balances.0.coins.0.amount', '-1', 'app_state.bank.balances[0].coins[0].amount: must be'],
    [
      'app_state.bank.supply.0.amount',
      '1',
      'app_state.bank.supply[0]: is 1, but the balances sum to 15000000000000000007',
    ],
    ['app_state.evm.chain_id', '1', 'app_state.evm.chain_id: is 1, but localnat-1 has the EVM chain id 2517'],
    ['app_state.feemarket.base_fee', '1', 'app_state.feemarket.base_fee: must not be below min_base_fee'],
    ['consensus_params.block.max_gas', '-1', 'consensus_params.block.max_gas: must be a non-negative integer'],
    ['consensus_params.block.max_bytes', '90000000', 'block.max_bytes must be between 1 and 8000000'],
    [
      'consensus_params.block.max_bytes',
      '4530834',
      'consensus_params: block.max_bytes must be at least 4530835 with 1048576 bytes of evidence and 100 validators',
    ],
    ['consensus_params.evidence.max_bytes', '4517742', 'block.max_bytes must be at least 8000001'],
    [
      'consensus_params.version.app',
      '2',
      'consensus_params.version.app: is 2, but this software is application version 1',
    ],
    ['validators.0.power', '0', 'validators[0].power: must be positive'],
    ['validators.0.address', 'AB', 'validators[0].address: is AB, but its key gives'],
    ['validators.0.pub_key.value', 'AAAA', 'validators[0].pub_key.value: must be 32 bytes in base64, not 3'],
    ['genesis_time', 'today', 'genesis_time: "today" is no UTC time'],
    ['chain_id', '', 'chain_id: must have 1 to 50 characters'],
  ])('names the member at fault: %s', (path, value, message) => {
    expect(() => validateGenesis(changed(path, value), 'genesis.json')).toThrowError(message)
  })

  it('has room for votes and evidence in a block that is no smaller than it must be', () => {
    expect(() => validateGenesis(changed('consensus_params.block.max_bytes', '4530835'), 'g')).not.toThrow()
    const more = changed('app_state.staking.params', { max_validators: 1_000 })
    expect(() => validateGenesis(more, 'g')).not.toThrow()
    const small = changed('consensus_params.block.max_bytes', '7553034', more)
    expect(() => validateGenesis(small, 'g')).toThrowError('at least 7553035 with 1048576 bytes of evidence and 1000')
  })

  it('of another chain is refused', () => {
    expect(() => validateGenesis(funded, 'g', { chainId: 'nat-2517-1' })).toThrowError(
      'g: chain_id is localnat-1, but nat-2517-1 is expected',
    )
    expect(() => validateGenesis(funded, 'g', { evmChainId: 1n })).toThrowError(
      'g: app_state.evm.chain_id is 2517, but evm.evm-chain-id of app.toml is 1',
    )
  })

  it('takes an account once, in either form of its address', () => {
    const native = encodeBech32(parseAccountAddress(ALICE))
    expect(addAccount(empty, native, '1nat').app_state.bank.balances[0]?.address).toBe(ALICE.toLowerCase())
    expect(() => addAccount(funded, native, '1nat')).toThrowError('is in the genesis already')
    expect(() => addAccount(empty, '0x12', '1nat')).toThrowError('an address has 20 bytes')
    expect(() => addValidator(funded, { publicKey: KEY, power: 1, name: '' })).toThrowError('is in the genesis already')
  })

  it('takes amounts in NAT and in anat', () => {
    expect(parseCoins('2nat')).toEqual([{ denom: 'anat', amount: '2000000000000000000' }])
    expect(parseCoins('2anat,3other')).toEqual([
      { denom: 'anat', amount: '2' },
      { denom: 'other', amount: '3' },
    ])
    for (const wrong of ['', '1', 'nat', '1.5nat', '-1nat', '1nat,2anat'])
      expect(() => parseCoins(wrong)).toThrowError(/is no amount|names anat twice/)
  })
})

describe('the devnet', () => {
  it('funds the accounts that every development tool knows', () => {
    const expected = Array.from({ length: 10 }, (_, index) =>
      mnemonicToAccount(DEVNET_MNEMONIC, { addressIndex: index }),
    )
    expect(devnetAccounts().map(({ address }) => address)).toEqual(expected.map(({ address }) => address))
    const document: GenesisDocument = devnetAccounts().reduce(
      (genesis, { address }) => addAccount(genesis, address, '1000000nat'),
      empty,
    )
    expect(document.app_state.bank.supply[0]?.amount).toBe(`${10n ** 7n}${'0'.repeat(18)}`)
  })

  it('has two markets, whose denominations its accounts hold', () => {
    const document = addTestMarkets(addAccount(funded, CAROL, `3nat,${TEST_COINS}`))
    expect(validateGenesis(document, 'g')).toMatchObject({ accountCount: 3 })
    const { markets, params } = document.app_state['clob'] as { markets: { market: { id: number } }[]; params: object }
    expect(markets.map(({ market }) => market.id)).toEqual([1, 2])
    expect(params).toMatchObject({ block_weight: 4_000 })
    const denoms = document.app_state.bank.supply.map(({ denom }) => denom)
    expect(denoms).toEqual(['anat', 'tsat', 'utusd'])
    expect(document.app_state.bank.denom_metadata).toHaveLength(3)
  })
})
