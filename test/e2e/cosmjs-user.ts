/** An account behind a wallet of CosmJS, on a test node. */
import type { OfflineSigner } from '@cosmjs/proto-signing'
import {
  type DeliverTxResponse,
  GasPrice,
  QueryClient,
  setupDistributionExtension,
  setupGovExtension,
  setupMintExtension,
  setupSlashingExtension,
  setupStakingExtension,
  setupTxExtension,
  SigningStargateClient,
} from '@cosmjs/stargate'
import type { CometClient } from '@cosmjs/tendermint-rpc'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import { aminoTypes, registry } from '../../app/native/testing/cosmjs.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { hexToBytes } from '../../core/hex.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'

export const NAT = 10n ** 18n
export const GAS = 600_000n
export const FEE = { amount: [{ denom: 'anat', amount: (4_000_000_000n * GAS).toString() }], gas: GAS.toString() }
export const coin = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })

/** The private key of an account of the devnet. */
export const keyOf = (index: number): Uint8Array => hexToBytes(devnetAccounts()[index]?.privateKey as Hex)
export const operatorOf = (index: number): string => formatOperator(hexToBytes(devnetAccounts()[index]?.address as Hex))

export class User {
  readonly client: SigningStargateClient
  readonly address: string

  constructor(client: SigningStargateClient, address: string) {
    this.client = client
    this.address = address
  }

  static async connect(cometUrl: string, wallet: OfflineSigner): Promise<User> {
    const [account] = await wallet.getAccounts()
    const client = await SigningStargateClient.connectWithSigner(cometUrl, wallet, {
      broadcastPollIntervalMs: 50,
      gasPrice: GasPrice.fromString('4000000000anat'),
      registry,
      aminoTypes,
    })
    return new User(client, account?.address ?? '')
  }

  /** `fee` is FEE, or what the node estimates. */
  async send(type: string, value: object, fee: typeof FEE | 'auto' = FEE): Promise<DeliverTxResponse> {
    const message = { typeUrl: `/cosmos.${type}`, value }
    const result = await this.client.signAndBroadcast(this.address, [message], fee)
    expect([result.code, result.rawLog], type).toEqual([0, ''])
    return result
  }
}

export type Attributes = Readonly<Record<string, string>>
/** The attributes of the events of its messages. */
export const attributesOf = ({ events }: DeliverTxResponse, wanted: string): readonly Attributes[] =>
  events
    .filter(({ type, attributes }) => type === wanted && attributes.some(({ key }) => key === 'msg_index'))
    .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, value])))

/** Every extension that has a module here. */
export const extendQueries = (comet: CometClient) =>
  QueryClient.withExtensions(
    comet,
    setupStakingExtension,
    setupDistributionExtension,
    setupGovExtension,
    setupMintExtension,
    setupSlashingExtension,
    setupTxExtension,
  )
