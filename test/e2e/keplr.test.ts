/** What Keplr does differently from CosmJS, and what docs/clients.md tells it; without a browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { makeSignDoc as makeAminoSignDoc } from '@cosmjs/amino'
import { makeAuthInfoBytes, makeSignDoc } from '@cosmjs/proto-signing'
import { StargateClient } from '@cosmjs/stargate'
import { TextProposal } from 'cosmjs-types/cosmos/gov/v1beta1/gov'
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys'
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing'
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TypedDataDefinition } from 'viem'
import { aminoTypes, registry, WALLETS } from '../../app/native/testing/cosmjs.ts'
import {
  addressOf,
  COIN_TYPES,
  DOMAIN_TYPES,
  encodeTypedTransaction,
  FEE_TYPES,
  TX_TYPES,
  typedDataDomain,
  type TypedTransaction,
} from '../../app/native/testing/typed-data.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { hexToBytes } from '../../core/hex.ts'
import { formatConsensusAddress } from '../../modules/validator-addresses.ts'
import { accountAt } from './clients.ts'
import { attributesOf, coin, FEE, GAS, keyOf, NAT, operatorOf, User } from './cosmjs-user.ts'
import { CHAIN_ID, EVM_CHAIN_ID, repository, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

const VALIDATOR = operatorOf(0)
let client: StargateClient
beforeAll(async () => {
  client = await StargateClient.connect(node().urls.comet)
})

/** The part of Keplr's chain info that is compared here. */
interface ChainInfo {
  readonly chainId: string
  readonly bip44: { readonly coinType: number }
  readonly bech32Config: Readonly<Record<`bech32Prefix${'Acc' | 'Val' | 'Cons'}Addr`, string>>
  readonly stakeCurrency: Currency
  readonly currencies: readonly Currency[]
  readonly feeCurrencies: readonly (Currency & { readonly gasPriceStep: { readonly low: number } })[]
}
interface Currency {
  readonly coinMinimalDenom: string
  readonly coinDecimals: number
}

const rest = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${node().urls.rest}/cosmos/${path}`)).json()) as T

describe('Keplr', () => {
  // What it names the key of Ethereum without the feature eth-secp256k1-cosmos.
  const OLDER_TYPE = '/ethermint.crypto.v1.ethsecp256k1.PubKey'

  it.each(['eth_secp256k1 direct', 'eth_secp256k1 amino'] as const)(
    'signs under the older name of %s',
    async (name) => {
      const wallet = await WALLETS[name](keyOf(7))
      const [{ address, pubkey } = { address: '', pubkey: new Uint8Array(0) }] = await wallet.getAccounts()
      const { accountNumber, sequence } = await client.getSequence(address)
      const value = { delegatorAddress: address, validatorAddress: VALIDATOR, amount: coin(NAT) }
      const messages = [{ typeUrl: '/cosmos.staking.v1beta1.MsgDelegate', value }]
      const bodyBytes = registry.encodeTxBody({ messages })
      const key = { typeUrl: OLDER_TYPE, value: PubKey.encode({ key: pubkey }).finish() }
      const authInfo = (mode: SignMode): Uint8Array =>
        makeAuthInfoBytes([{ pubkey: key, sequence }], FEE.amount, Number(GAS), undefined, undefined, mode)
      const sign = async (): Promise<readonly [Uint8Array, string]> => {
        if ('signDirect' in wallet) {
          const authInfoBytes = authInfo(SignMode.SIGN_MODE_DIRECT)
          const doc = makeSignDoc(bodyBytes, authInfoBytes, CHAIN_ID, accountNumber)
          return [authInfoBytes, (await wallet.signDirect(address, doc)).signature.signature]
        }
        const amino = messages.map((message) => aminoTypes.toAmino(message))
        const doc = makeAminoSignDoc(amino, FEE, CHAIN_ID, '', accountNumber, sequence)
        const { signature } = await wallet.signAmino(address, doc)
        return [authInfo(SignMode.SIGN_MODE_LEGACY_AMINO_JSON), signature.signature]
      }
      const [authInfoBytes, signature] = await sign()
      const raw = { bodyBytes, authInfoBytes, signatures: [Buffer.from(signature, 'base64')] }
      const result = await client.broadcastTx(TxRaw.encode(TxRaw.fromPartial(raw)).finish(), 20_000, 50)
      expect([result.code, result.rawLog]).toEqual([0, ''])
    },
  )

  it('is told of this chain as docs/clients.md says', async () => {
    const text = readFileSync(join(repository, 'docs', 'clients.md'), 'utf8')
    const [, literal = ''] = /experimentalSuggestChain\((\{.*?\n\})\)/s.exec(text) ?? []
    const info = runInNewContext(`(${literal})`) as ChainInfo
    expect(info.chainId).toBe(await client.getChainId())
    expect(info.bip44.coinType).toBe(60)
    const { bech32PrefixAccAddr, bech32PrefixValAddr, bech32PrefixConsAddr } = info.bech32Config
    const consensus = formatConsensusAddress(new Uint8Array(20))
    const examples = [encodeBech32(new Uint8Array(20)), VALIDATOR, consensus].map((example) =>
      example.replace(/1[^1]*$/, ''),
    )
    expect([bech32PrefixAccAddr, bech32PrefixValAddr, bech32PrefixConsAddr]).toEqual(examples)
    const { params } = await rest<{ params: { bond_denom: string } }>('staking/v1beta1/params')
    for (const { coinMinimalDenom, coinDecimals } of [info.stakeCurrency, ...info.currencies, ...info.feeCurrencies]) {
      expect([coinMinimalDenom, coinDecimals]).toEqual([params.bond_denom, 18])
    }
    const price = info.feeCurrencies[0]?.gasPriceStep.low ?? 0
    expect(await rest('base/node/v1beta1/config')).toMatchObject({
      minimum_gas_price: `${price}.${'0'.repeat(18)}anat`,
    })
  })
})

describe('a wallet that signs typed data alone', () => {
  const account = accountAt(8)
  const address = addressOf(account)
  const text = (name: string) => ({ name, type: 'string' })

  /** `fee` and `message` are beside what all sign docs have. */
  const sign = async (
    types: Readonly<Record<string, readonly object[]>>,
    message: object,
    fee: object = {},
  ): Promise<Uint8Array> => {
    const { accountNumber, sequence } = await client.getSequence(address)
    const document = { account_number: String(accountNumber), chain_id: CHAIN_ID, memo: '', sequence: String(sequence) }
    const data = {
      domain: typedDataDomain(EVM_CHAIN_ID),
      primaryType: 'Tx',
      types: { EIP712Domain: DOMAIN_TYPES, Coin: COIN_TYPES, Fee: FEE_TYPES, ...types },
      message: { ...document, fee: { ...FEE, ...fee }, ...message },
    }
    return hexToBytes(await account.signTypedData(data as never as TypedDataDefinition))
  }

  const broadcast = async (
    message: { readonly typeUrl: string; readonly value: object },
    rest: Pick<TypedTransaction, 'mode' | 'signature' | 'extension' | 'payer'>,
  ) => {
    const { sequence } = await client.getSequence(address)
    const raw = encodeTypedTransaction({
      account,
      messages: [registry.encodeAsAny(message)],
      sequence: BigInt(sequence),
      gasLimit: GAS,
      feeAmount: FEE.amount[0]?.amount ?? '',
      ...rest,
    })
    const result = await client.broadcastTx(raw, 20_000, 50)
    expect([result.code, result.rawLog]).toEqual([0, ''])
    return result
  }

  const aminoOf = (message: Parameters<typeof aminoTypes.toAmino>[0]): object => aminoTypes.toAmino(message)

  it('sends as MetaMask signs', async () => {
    const to = encodeBech32(new Uint8Array(20).fill(0x99))
    const value = { fromAddress: address, toAddress: to, amount: [coin(NAT)] }
    const message = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }
    const types = {
      Tx: [...TX_TYPES, text('sequence'), { name: 'msg0', type: 'TypeMsgSend0' }],
      TypeMsgSend0: [{ name: 'value', type: 'TypeValue0' }, text('type')],
      TypeValue0: [text('to_address'), text('from_address'), { name: 'amount', type: 'TypeValueAmount0[]' }],
      TypeValueAmount0: [text('denom'), text('amount')],
    }
    const signature = await sign(types, { msg0: aminoOf(message) })
    await broadcast(message, { mode: 'amino', signature })
    expect(await client.getBalance(to, 'anat')).toEqual(coin(NAT))
  })

  it('delegates as Keplr has a Ledger sign', async () => {
    const value = { delegatorAddress: address, validatorAddress: VALIDATOR, amount: coin(5n * NAT) }
    const message = { typeUrl: '/cosmos.staking.v1beta1.MsgDelegate', value }
    const types = {
      Tx: [...TX_TYPES, { name: 'msgs', type: 'Msg[]' }, text('sequence')],
      Fee: [text('feePayer'), ...FEE_TYPES],
      Msg: [text('type'), { name: 'value', type: 'MsgValue' }],
      MsgValue: [text('delegator_address'), text('validator_address'), { name: 'amount', type: 'TypeAmount' }],
      TypeAmount: COIN_TYPES,
    }
    const signature = await sign(types, { msgs: [aminoOf(message)] }, { feePayer: address })
    const extension = { chainId: BigInt(EVM_CHAIN_ID), feePayer: address, signature }
    const empty = new Uint8Array(0)
    const { transactionHash } = await broadcast(message, { mode: 'amino', signature: empty, payer: address, extension })
    expect(await client.getDelegation(address, VALIDATOR)).toEqual(coin(5n * NAT))
    const url = `${node().urls.rest}/cosmos/tx/v1beta1/txs/${transactionHash}`
    expect(await (await fetch(url)).json()).toMatchObject({
      tx: {
        body: {
          extension_options: [
            {
              '@type': '/cosmos.evm.types.v1.ExtensionOptionsWeb3Tx',
              typed_data_chain_id: String(EVM_CHAIN_ID),
              fee_payer: address,
              fee_payer_sig: Buffer.from(signature).toString('base64'),
            },
          ],
        },
      },
    })
  })

  it('votes with the mode DIRECT', async () => {
    const user = await User.connect(node().urls.comet, await WALLETS['eth_secp256k1 direct'](keyOf(0)))
    const { params } = await rest<{ params: { min_deposit: readonly object[] } }>('gov/v1/params/deposit')
    const about = { title: 'To vote on', description: 'With typed data' }
    const content = { typeUrl: '/cosmos.gov.v1beta1.TextProposal', value: TextProposal.encode(about).finish() }
    const proposal = { content, initialDeposit: params.min_deposit, proposer: user.address }
    const submitted = await user.send('gov.v1beta1.MsgSubmitProposal', proposal)
    const id = attributesOf(submitted, 'submit_proposal')[0]?.['proposal_id'] ?? ''
    const value = { proposalId: BigInt(id), voter: address, option: 1 }
    const message = { typeUrl: '/cosmos.gov.v1beta1.MsgVote', value }
    const types = {
      Tx: [...TX_TYPES, text('sequence'), { name: 'msg0', type: 'TypeMsgVote0' }],
      TypeMsgVote0: [{ name: 'value', type: 'TypeValue0' }, text('type')],
      TypeValue0: [text('voter'), text('proposal_id'), { name: 'option', type: 'int64' }],
    }
    const signature = await sign(types, { msg0: aminoOf(message) })
    await broadcast(message, { mode: 'direct', signature })
    expect(await rest(`gov/v1/proposals/${id}/votes/${address}`)).toMatchObject({
      vote: { options: [{ option: 'VOTE_OPTION_YES' }] },
    })
  })
})

describe('a transaction of the SDK before protobuf', () => {
  const post = async (path: string, body: object): Promise<unknown> => {
    const url = `${node().urls.rest}/cosmos/tx/v1beta1/${path}`
    return await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()
  }

  // The long one is made by a worker.
  it.each([0, 1, 5_000])('goes to amino binary and back over REST, with a memo of %i characters', async (length) => {
    const amount = [coin(NAT)]
    const send = { type: 'cosmos-sdk/MsgSend', value: { from_address: 'a', to_address: 'b', amount } }
    const value = {
      msg: [send],
      fee: { amount, gas: '200000' },
      signatures: null,
      memo: 'm'.repeat(length),
      timeout_height: '0',
    }
    const json = JSON.stringify({ type: 'cosmos-sdk/StdTx', value })
    const encoded = (await post('encode/amino', { amino_json: json })) as { amino_binary: string }
    expect(await post('decode/amino', encoded)).toEqual({ amino_json: json })
  })

  it('is refused in the words of the SDK', async () => {
    const refused = (code: number, message: string) => ({ code, message, details: [] })
    expect(await post('encode/amino', {})).toEqual(refused(3, 'invalid empty tx json'))
    expect(await post('decode/amino', {})).toEqual(refused(3, 'invalid empty tx bytes'))
    expect(await post('encode/amino', { amino_json: '{}' })).toEqual(
      refused(2, 'JSON encoding of interfaces require non-empty type field.'),
    )
  })
})
