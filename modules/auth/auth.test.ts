import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { moduleAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { auth, authQuery } from '../../proto/index.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { AUTH_ADDRESS, readPublicKey, writePublicKey } from './keeper.ts'
import { parseAuthGenesis } from './genesis.ts'
import { authModule } from './module.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const KEY = { typeUrl: '/some.Key', value: Uint8Array.of(10, 1, 7) }
const ADDRESSES = [1, 2, 3].map(address)

const module = authModule.create({
  moduleAccounts: [{ name: 'bank', address: moduleAddress('bank'), permissions: [] }],
  accountNumber: (each) => BigInt(each[0] ?? 0) * 1_000n,
  addresses: (_, start) => ADDRESSES.filter((each) => start === undefined || (each[0] ?? 0) >= (start[0] ?? 0)),
  checkKey: (_, key) => (key.typeUrl === KEY.typeUrl ? undefined : 'is no key'),
})

const makeState = (): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  for (const each of ADDRESSES) state.setAccount(each, { ...EMPTY_ACCOUNT, balance: 5n, nonce: 4n })
  state.setAccount(moduleAddress('bank'), { ...EMPTY_ACCOUNT, nonce: 1n })
  writePublicKey(state, address(2), KEY)
  return state
}

const ask = <Input extends DescMessage, Output extends DescMessage>(
  { name, input, output }: { readonly name: string; readonly input: Input; readonly output: Output },
  request: MessageInitShape<Input>,
): MessageShape<Output> => {
  const handler = module.queries.find(({ path }) => path === `/cosmos.auth.v1beta1.Query/${name}`)
  if (handler === undefined) throw new TypeError(`no handler for ${name}`)
  const context = { state: makeState(), height: 1, chainId: 'x' }
  return fromBinary(output, handler.query(context, toBinary(input, create(input, request))))
}

const { method } = authQuery.Query

describe('an account', () => {
  it('has the nonce for its sequence, a number that follows from its address, and a key once it has signed', () => {
    const shown = (byte: number) => {
      const { account } = ask(method.account, { address: encodeBech32(address(byte)) })
      expect(account?.typeUrl).toBe('/cosmos.auth.v1beta1.BaseAccount')
      return fromBinary(auth.BaseAccountSchema, account?.value ?? new Uint8Array(0))
    }
    expect(shown(1)).toMatchObject({ accountNumber: 1_000n, sequence: 4n, address: encodeBech32(address(1)) })
    expect(shown(1).pubKey).toBeUndefined()
    expect(shown(2).pubKey).toMatchObject(KEY)
    expect(ask(method.accountInfo, { address: encodeBech32(address(2)) }).info).toMatchObject({ sequence: 4n })
  })

  it('that is not there is not found, in the words of the SDK', () => {
    const missing = encodeBech32(address(8))
    expect(() => ask(method.account, { address: missing })).toThrow(
      new CodedError('grpc', 5, `account ${missing} not found`),
    )
  })

  it('of a module has its name, and no sequence', () => {
    const { account } = ask(method.moduleAccountByName, { name: 'bank' })
    expect(fromBinary(auth.ModuleAccountSchema, account?.value ?? new Uint8Array(0))).toMatchObject({
      name: 'bank',
      baseAccount: { address: encodeBech32(moduleAddress('bank')), sequence: 0n },
    })
    expect(ask(method.moduleAccounts, {}).accounts.length).toBe(1)
    expect(ask(method.account, { address: encodeBech32(moduleAddress('bank')) }).account).toEqual(account)
    const { info } = ask(method.accountInfo, { address: encodeBech32(moduleAddress('bank')) })
    expect(info).toMatchObject({ address: encodeBech32(moduleAddress('bank')), sequence: 0n })
  })

  it('is found by its number', () => {
    const { info } = ask(method.accountInfo, { address: encodeBech32(address(2)) })
    const number = info?.accountNumber ?? 0n
    expect(ask(method.accountAddressByID, { accountId: number }).accountAddress).toBe(encodeBech32(address(2)))
    // The older field, which is signed and deprecated.
    expect(ask(method.accountAddressByID, { id: number }).accountAddress).toBe(encodeBech32(address(2)))
    expect(() => ask(method.accountAddressByID, { accountId: 7n })).toThrow(/account number 7/)
  })

  it('is listed in pages', () => {
    const first = ask(method.accounts, { pagination: { limit: 2n } })
    expect([first.accounts.length, first.pagination?.nextKey]).toEqual([2, address(3)])
    const key = first.pagination?.nextKey ?? new Uint8Array(0)
    expect(ask(method.accounts, { pagination: { key } }).accounts.length).toBe(1)
  })
})

describe('addresses', () => {
  it('are converted both ways', () => {
    const { addressString } = ask(method.addressBytesToString, { addressBytes: address(3) })
    expect(addressString).toBe(encodeBech32(address(3)))
    expect(ask(method.addressStringToBytes, { addressString }).addressBytes).toEqual(address(3))
    expect(ask(method.bech32Prefix, {}).bech32Prefix).toBe('nat')
    expect(() => ask(method.addressBytesToString, { addressBytes: Uint8Array.of(1) })).toThrow(CodedError)
    expect(() => ask(method.addressStringToBytes, { addressString: 'cosmos1' })).toThrow(CodedError)
  })
})

describe('an export', () => {
  it('begins a chain with equal keys', () => {
    const state = makeState()
    writePublicKey(state, address(1), { ...KEY, value: Uint8Array.of(1, 2) })
    const exported = module.exportGenesis({ state, height: 1, chainId: 'x' }) as { public_keys: Iterable<unknown> }
    const genesis = { public_keys: [...exported.public_keys] }
    const again = new Overlay(new LatestState(openMemoryStore(), 100))
    module.initGenesis({ state: again, height: 0, timeNs: 0n, chainId: 'x', emit: () => undefined }, genesis)
    const all = (of: Overlay) => of.values(AUTH_ADDRESS, new Uint8Array(0), 10)
    expect(all(again)).toEqual(all(state))
    expect(readPublicKey(again, address(2))).toEqual(KEY)
    const swapped = { public_keys: genesis.public_keys.toReversed() }
    expect(() => parseAuthGenesis(swapped)).toThrow('app_state.auth.public_keys[1].address: the addresses must ascend')
    expect(() => parseAuthGenesis(genesis, () => 'is wrong')).toThrow('app_state.auth.public_keys[0].value: is wrong')
  })

  it('is looked at by an invariant', () => {
    const invariant = module.invariants.find(({ name }) => name === 'auth/keys-are-of-accounts-that-signed')
    const state = makeState()
    const check = () => invariant?.check({ state, height: 1, chainId: 'x' })
    expect(check()).toBeUndefined()
    writePublicKey(state, address(7), KEY)
    expect(check()).toBe('the public key of an account that never signed')
    writePublicKey(state, address(1), { ...KEY, typeUrl: '/other' })
    expect(check()).toBe('is no key')
  })
})
