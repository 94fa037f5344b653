import { describe, expect, it } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { bankModule } from '../../../modules/bank/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../../store/state.ts'
import { bech32Of, type NativeFields, sendMessage, signNative } from '../../../test/sim/native-transactions.ts'
import { executeNative } from './execute.ts'
import { createPrepare } from './prepare.ts'

const CHAIN_ID = 'nat-test-1'
const [ALICE, BOB] = ['1', '2'].map((digit) => privateKeyToAccount(`0x${digit.repeat(64)}`)) as [
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
]
const prepare = createPrepare([bankModule.create({ accounts: () => [], isBlockedReceiver: () => false })])
const coins = (amount: string) => [{ denom: 'anat', amount }]

const signed = (fields: Partial<NativeFields> = {}): Promise<Uint8Array> =>
  signNative({
    chainId: CHAIN_ID,
    messages: [sendMessage(ALICE, new Uint8Array(20).fill(7), coins('1'))],
    signers: [{ account: ALICE, sequence: 0 }],
    ...fields,
  })

const execute = (raw: Uint8Array) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const address = hexToBytes(ALICE.address)
  state.setAccount(address, { ...EMPTY_ACCOUNT, balance: 10n ** 24n })
  const block = {
    state,
    height: 1,
    timeNs: 0n,
    chainId: CHAIN_ID,
    evmChainId: 1n,
    baseFeePerGas: 1n,
    gasLeft: 10n ** 9n,
  }
  return { result: executeNative(prepare(raw), block).result, nonce: state.account(address)?.nonce }
}

describe('a message that its handler refuses', () => {
  it('is of a valid transaction, which fails in its block, pays, and uses its sequence', async () => {
    const bad = sendMessage(ALICE, new Uint8Array(20).fill(7), coins('0'))
    const good = sendMessage(ALICE, new Uint8Array(20).fill(7), coins('1'))
    const { result, nonce } = execute(await signed({ messages: [good, bad] }))
    expect(result).toMatchObject({ code: 10, codespace: 'sdk', data: EMPTY_BYTES })
    expect(result.log).toMatch(/^failed to execute message; message index: 1: /)
    expect(nonce).toBe(1n)
  })
})

describe('a fee payer', () => {
  const refusal = async (payer: string): Promise<string> => {
    const raw = await signed({ payer })
    try {
      prepare(raw)
      return execute(raw).result.code === 0 ? 'pays' : 'fails'
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return `${error.codespace}/${error.code}`
    }
  }

  it('may be named where it is the first signer', async () => {
    expect(await refusal('')).toBe('pays')
    expect(await refusal(bech32Of(ALICE))).toBe('pays')
    expect(await refusal(bech32Of(BOB))).toBe('sdk/37')
    expect(await refusal('nat1nobody')).toBe('sdk/7')
  })
})
