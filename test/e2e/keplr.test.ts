/** What Keplr does differently from CosmJS, and what docs/clients.md tells it; without a browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { makeSignDoc as makeAminoSignDoc } from '@cosmjs/amino'
import { makeAuthInfoBytes, makeSignDoc } from '@cosmjs/proto-signing'
import { StargateClient } from '@cosmjs/stargate'
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys'
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing'
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx'
import { beforeAll, describe, expect, it } from 'vitest'
import { aminoTypes, registry, WALLETS } from '../../app/native/testing/cosmjs.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { formatConsensusAddress } from '../../modules/validator-addresses.ts'
import { coin, FEE, GAS, keyOf, NAT, operatorOf } from './cosmjs-user.ts'
import { CHAIN_ID, repository, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

const VALIDATOR = operatorOf(0)
let client: StargateClient
beforeAll(async () => {
  client = await StargateClient.connect(node().urls.comet)
})

/** Of Keplr's chain info what is compared here. */
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

  const rest = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${node().urls.rest}/cosmos/${path}`)).json()) as T

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
