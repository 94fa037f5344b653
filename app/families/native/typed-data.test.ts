import { expect, it } from 'vitest'
import type { TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { WEIGHT } from '../../../evm/weight.ts'
import { bankModule } from '../../../modules/bank/index.ts'
import { weightModule } from '../../../modules/weight/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../../store/state.ts'
import { sendMessage, signNative } from '../../../test/sim/native-transactions.ts'
import { accountNumberOf } from '../../native/account-number.ts'
import {
  addressOf,
  COIN_TYPES,
  DOMAIN_TYPES,
  encodeTypedTransaction,
  FEE_TYPES,
  TX_TYPES,
  typedDataDomain,
} from '../../native/testing/typed-data.ts'
import { admitNative } from './admit.ts'
import { Pool } from '../../pool/pool.ts'
import { APPLICATION_DEFAULTS } from '../../settings.ts'
import { executeNative } from './execute.ts'
import { createPrepare } from './prepare.ts'
import { mostNativeWeight } from './weight.ts'

const CHAIN_ID = 'nat-test-1'
const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const prepare = createPrepare([bankModule.create({ accounts: () => [], isBlockedReceiver: () => false })])
const RECIPIENT = new Uint8Array(20).fill(7)
const message = sendMessage(account, RECIPIENT, [{ denom: 'anat', amount: '1' }])

const newState = (): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  state.setAccount(hexToBytes(account.address), { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  weightModule
    .create({})
    .initGenesis({ state, height: 0, timeNs: 0n, chainId: CHAIN_ID, emit: () => undefined }, undefined)
  return state
}

const blockOf = (state: Overlay) => ({
  state,
  height: 1,
  timeNs: 0n,
  chainId: CHAIN_ID,
  evmChainId: 2517n,
  baseFeePerGas: 1n,
  gasLeft: 10n ** 9n,
})

const typedSend = async (): Promise<Uint8Array> => {
  const text = (name: string) => ({ name, type: 'string' })
  const feeAmount = (200_000n * 40_000_000_000n).toString()
  const data = {
    domain: typedDataDomain(2517),
    primaryType: 'Tx',
    types: {
      EIP712Domain: DOMAIN_TYPES,
      Tx: [...TX_TYPES, text('sequence'), { name: 'msg0', type: 'TypeMsgSend0' }],
      Fee: FEE_TYPES,
      Coin: COIN_TYPES,
      TypeMsgSend0: [{ name: 'value', type: 'TypeValue0' }, text('type')],
      TypeValue0: [text('to_address'), text('from_address'), { name: 'amount', type: 'TypeValueAmount0[]' }],
      TypeValueAmount0: [text('denom'), text('amount')],
    },
    message: {
      account_number: String(accountNumberOf(hexToBytes(account.address))),
      chain_id: CHAIN_ID,
      fee: { amount: [{ denom: 'anat', amount: feeAmount }], gas: '200000' },
      memo: '',
      sequence: '0',
      msg0: {
        type: 'cosmos-sdk/MsgSend',
        value: {
          from_address: addressOf(account),
          to_address: encodeBech32(RECIPIENT),
          amount: [{ denom: 'anat', amount: '1' }],
        },
      },
    },
  }
  return encodeTypedTransaction({
    account,
    messages: [message],
    mode: 'amino',
    sequence: 0n,
    gasLimit: 200_000n,
    feeAmount,
    signature: hexToBytes(await account.signTypedData(data as never as TypedDataDefinition)),
  })
}

it('a signature over typed data weighs more than an ordinary one, and the same whoever verified it', async () => {
  const raw = await typedSend()
  const fresh = prepare(raw)
  const executed = executeNative(fresh, blockOf(newState()))
  expect(executed.result.code).toBe(0)
  const ordinary = executeNative(
    prepare(await signNative({ chainId: CHAIN_ID, messages: [message], signers: [{ account, sequence: 0 }] })),
    blockOf(newState()),
  )
  const gas = Number(executed.result.gasUsed - ordinary.result.gasUsed)
  expect(executed.weight - ordinary.weight).toBe(
    WEIGHT.typedData + WEIGHT.typedDataByte * raw.length + WEIGHT.nativeGas * gas,
  )
  expect(executed.weight).toBeLessThanOrEqual(mostNativeWeight(fresh))
  const { transaction } = admitNative(prepare(raw), {
    pool: new Pool(APPLICATION_DEFAULTS.pool, { executable: () => undefined, left: () => undefined }),
    state: newState(),
    settings: APPLICATION_DEFAULTS,
    limits: { chainId: 2517n, blockGasLimit: 10n ** 9n, hardfork: 'osaka' },
    nativeChainId: CHAIN_ID,
    height: 1,
    baseFeePerGas: 1n,
    nowMs: 0,
    arrival: 0,
  })
  const { prepared } = transaction
  expect(prepared).toMatchObject({ isVerified: true, isTypedData: true })
  expect(executeNative(prepared, blockOf(newState()))).toEqual(executed)
})
