import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { hashTypedData, type TypedData } from '../../core/typed-data.ts'
import { tx } from '../../proto/index.ts'
import { decodeNativeTransaction } from './decode-transaction.ts'
import { TRANSACTION_MESSAGES } from './definitions.ts'
import { publicKeyAddress } from './public-key.ts'
import { currentTypedData, readSignDocument } from './typed-data.ts'
import { legacyTypedData } from './typed-data-legacy.ts'

/** Digests as cosmos/evm makes them; without one where it makes none. */
interface RecordedTypedData {
  readonly messages: readonly string[]
  readonly mode: 'direct' | 'amino'
  readonly body: string
  readonly authInfo: string
  readonly accountNumber: string
  readonly sequence: string
  readonly current?: string
  readonly legacy?: string
  readonly web3?: string
}

const EVM_CHAIN_ID = 2517n
const REFUSED = 'refused'

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'typed-data.json'), 'utf8'),
) as readonly RecordedTypedData[]

const digest = (make: () => TypedData): string => {
  try {
    return bytesToUnprefixedHex(hashTypedData(make()))
  } catch (error) {
    if (error instanceof CodedError) return REFUSED
    throw error
  }
}

const read = ({ mode, body, authInfo, accountNumber, sequence }: RecordedTypedData) => {
  const raw = create(tx.TxRawSchema, {
    bodyBytes: Buffer.from(body, 'base64'),
    authInfoBytes: Buffer.from(authInfo, 'base64'),
  })
  const transaction = decodeNativeTransaction(toBinary(tx.TxRawSchema, raw))
  const key = transaction.signerInfos[0]?.publicKey
  if (key === undefined) throw new TypeError('a transaction without a key')
  const data = { chainId: 'nat-2517-1', accountNumber: BigInt(accountNumber), sequence: BigInt(sequence) }
  const document = () => readSignDocument(transaction, data, mode === 'amino')
  const withoutPayer = () => readSignDocument(transaction, data, false)
  const { messages } = transaction
  const payer = encodeBech32(publicKeyAddress(key))
  return {
    text: JSON.stringify(document()),
    current: digest(() => currentTypedData(document(), EVM_CHAIN_ID)),
    legacy: digest(() => legacyTypedData(document(), messages, EVM_CHAIN_ID, payer, true)),
    web3: digest(() => legacyTypedData(withoutPayer(), messages, EVM_CHAIN_ID, payer, false)),
  }
}

// cosmos/evm asks for the signers here, this chain before.
const hasNoInputs = ({ messages, current }: RecordedTypedData): boolean =>
  current === undefined && messages.includes('/cosmos.bank.v1beta1.MsgMultiSend')

describe('typed data of recorded transactions', () => {
  const names = [...new Set(recorded.flatMap(({ messages }) => (messages.length === 1 ? messages : [])))]
  const ofName = (name: string) => recorded.filter(({ messages: [first] }) => first === name)

  it.each(names)('that begin with %s has the digests of cosmos/evm', (name) => {
    const pairs = ofName(name).map((each) => {
      const made = read(each)
      const { current = REFUSED, legacy = REFUSED, web3 = REFUSED } = each
      // Cosmos/evm cannot read packed messages of amino JSON again for the older form; they are the same as in DIRECT.
      const isUnreadable = legacy === REFUSED && each.mode === 'amino' && made.legacy === made.web3
      const expected = {
        // Geth has its own way to hash an empty struct, so that nobody could sign one: it is refused.
        current: made.text.includes('{}') ? REFUSED : hasNoInputs(each) ? made.current : current,
        legacy: isUnreadable ? made.legacy : legacy,
        web3: each.mode === 'amino' ? web3 : made.web3,
      }
      return { made: { current: made.current, legacy: made.legacy, web3: made.web3 }, expected }
    })
    expect(pairs.map(({ made }) => made)).toEqual(pairs.map(({ expected }) => expected))
  })

  it('is recorded for every message that an account of the SDK signs', () => {
    const missing = [...TRANSACTION_MESSAGES.keys()].filter((typeUrl) => !names.includes(typeUrl))
    expect(missing.filter((typeUrl) => !/^\/(cosmos\.evm|nat)\./.test(typeUrl))).toEqual([
      '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
    ])
    for (const form of ['current', 'legacy', 'web3'] as const) {
      expect(recorded.filter((each) => each[form] !== undefined).length).toBeGreaterThan(100)
    }
  })
})
