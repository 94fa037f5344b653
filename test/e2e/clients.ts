/** viem's clients for a test node, and the accounts of the devnet. */
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PrivateKeyAccount,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { invariant } from '../../core/errors.ts'
import { EVM_CHAIN_ID, type TestNode } from './harness.ts'

export const accounts: readonly PrivateKeyAccount[] = devnetAccounts().map(({ privateKey }) =>
  privateKeyToAccount(privateKey as Hex),
)

export const accountAt = (index: number): PrivateKeyAccount => {
  const account = accounts[index]
  invariant(account !== undefined, 'there are ten accounts')
  return account
}

export const chainOf = ({ urls }: TestNode) =>
  defineChain({
    id: EVM_CHAIN_ID,
    name: 'local',
    nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
    rpcUrls: { default: { http: [urls.http], webSocket: [urls.ws] } },
  })

/** Makes a client without retries, so that a first failure is seen. */
export const createClient = (node: TestNode) =>
  createPublicClient({ chain: chainOf(node), transport: http(undefined, { retryCount: 0 }), pollingInterval: 50 })

export const createSocketClient = (node: TestNode) =>
  createPublicClient({ chain: chainOf(node), transport: webSocket(undefined, { retryCount: 0, reconnect: false }) })

export const createWallet = (node: TestNode, account: PrivateKeyAccount) =>
  createWalletClient({ account, chain: chainOf(node), transport: http(undefined, { retryCount: 0 }) })
