import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
import { decodeBech32, encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { bankTx, evmTx, slashingTx } from '../../proto/index.ts'
import { accountNumberOf } from './account-number.ts'
import { TRANSACTION_MESSAGES } from './definitions.ts'
import type { PackedMessage } from './public-key.ts'
import { messageSigners, requiredSigners } from './signers.ts'
import { exampleMessages } from './testing/cosmjs.ts'

const ALICE = new Uint8Array(20).fill(1)
const BOB = new Uint8Array(20).fill(2)
const CAROL = new Uint8Array(20).fill(3)

const send = (fromAddress: string): PackedMessage => ({
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: toBinary(bankTx.MsgSendSchema, create(bankTx.MsgSendSchema, { fromAddress })),
})

describe('required signers', () => {
  it('are those of all messages, each once, the first one first', () => {
    const messages = [BOB, ALICE, BOB].map((address) => send(encodeBech32(address)))
    expect(requiredSigners({ messages })).toEqual([BOB, ALICE])
  })

  it('are the inputs of a multi-send: messages within the message', () => {
    const inputs = [CAROL, ALICE, CAROL].map((address) => ({ address: encodeBech32(address) }))
    const value = toBinary(bankTx.MsgMultiSendSchema, create(bankTx.MsgMultiSendSchema, { inputs }))
    const message = { typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend', value }
    expect(messageSigners(message)).toEqual([CAROL, ALICE, CAROL])
    expect(requiredSigners({ messages: [message] })).toEqual([CAROL, ALICE])
  })

  it('are operators as accounts where the field is an operator', () => {
    const unjail = (validatorAddr: string): PackedMessage => ({
      typeUrl: '/cosmos.slashing.v1beta1.MsgUnjail',
      value: toBinary(slashingTx.MsgUnjailSchema, create(slashingTx.MsgUnjailSchema, { validatorAddr })),
    })
    expect(messageSigners(unjail(encodeBech32(ALICE, 'natvaloper')))).toEqual([ALICE])
    expect(() => messageSigners(unjail(encodeBech32(ALICE)))).toThrow(CodedError)
  })

  it('are accounts in either form', () => {
    expect(messageSigners(send(bytesToHex(ALICE)))).toEqual([ALICE])
  })

  it.each([
    '',
    'nat1',
    encodeBech32(ALICE, 'cosmos'),
    encodeBech32(new Uint8Array(32)),
    `${encodeBech32(ALICE)}x`,
    '0x01',
  ])('are refused when %j is the sender', (sender) => {
    expect(() => messageSigners(send(sender))).toThrow(expect.objectContaining({ codespace: 'sdk', code: 2 }))
  })

  it('of an Ethereum transaction within a native one are refused', () => {
    const value = toBinary(evmTx.MsgEthereumTxSchema, create(evmTx.MsgEthereumTxSchema, { from: ALICE }))
    expect(() => messageSigners({ typeUrl: '/cosmos.evm.vm.v1.MsgEthereumTx', value })).toThrow(
      /no cosmos.msg.v1.signer option found for message cosmos.evm.vm.v1.MsgEthereumTx: tx parse error/,
    )
  })

  it('can be told for every message but that one', () => {
    // An empty message names no address, which is another refusal than one without the option.
    const unclear = [...TRANSACTION_MESSAGES.keys()].filter((typeUrl) => {
      try {
        return messageSigners({ typeUrl, value: new Uint8Array(0) }).length > 0
      } catch (error) {
        return !(error instanceof CodedError) || /signer/.test(error.message)
      }
    })
    expect(unclear).toEqual(['/cosmos.evm.vm.v1.MsgEthereumTx'])
    expect(exampleMessages('', '').every(({ typeUrl }) => TRANSACTION_MESSAGES.has(typeUrl))).toBe(true)
  })
})

describe('account numbers', () => {
  it('are six bytes of a digest, which differ between accounts', () => {
    const numbers = [ALICE, BOB, CAROL, decodeBech32(encodeBech32(ALICE))].map(accountNumberOf)
    expect(new Set(numbers).size).toBe(3)
    expect(numbers.every((number) => number < 2n ** 48n)).toBe(true)
    // printf 'account number' and twenty bytes 01, sha256sum, first twelve digits.
    expect(numbers[0]).toBe(BigInt('0x6693ffbb2abe'))
  })
})
