/**
 * Sends NAT, deploys a contract, calls it, reads its logs and follows new heads with viem. Run "make devnet", then
 * `node examples/viem.ts`. RPC_URL, WS_URL and PRIVATE_KEY override the devnet's.
 */
import { readFileSync } from 'node:fs'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  formatEther,
  type Hex,
  http,
  parseEther,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const rpcUrl = process.env['RPC_URL'] ?? 'http://localhost:8545'
const wsUrl = process.env['WS_URL'] ?? 'ws://localhost:8546'
// The first account of the devnet: everyone knows this key.
const key = process.env['PRIVATE_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const { abi, bytecode } = JSON.parse(
  readFileSync(new URL('../test/e2e/contracts/token.json', import.meta.url), 'utf8'),
) as { abi: []; bytecode: Hex }

const chain = defineChain({
  id: 2517,
  name: 'NAT devnet',
  nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl], webSocket: [wsUrl] } },
})
const account = privateKeyToAccount(key as Hex)
const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
const wallet = createWalletClient({ account, chain, transport: http() })

const payment = await wallet.sendTransaction({ to: receiver, value: parseEther('1') })
const paid = await client.waitForTransactionReceipt({ hash: payment })
console.log(`sent 1 NAT in block ${paid.blockNumber}: ${payment}`)
console.log(`balance of the receiver: ${formatEther(await client.getBalance({ address: receiver }))} NAT`)

const deployment = await wallet.deployContract({ abi, bytecode, args: [parseEther('1000')] })
const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
if (!contractAddress) throw new TypeError('the deployment failed')
const token = { address: contractAddress, abi } as const
console.log(`deployed the token at ${contractAddress}`)

const transfer = await wallet.writeContract({ ...token, functionName: 'transfer', args: [receiver, 5n] })
const { blockNumber } = await client.waitForTransactionReceipt({ hash: transfer })
console.log(
  `tokens of the receiver: ${await client.readContract({ ...token, functionName: 'balanceOf', args: [receiver] })}`,
)
const logs = await client.getContractEvents({ ...token, eventName: 'Transfer', fromBlock: paid.blockNumber })
console.log(`logs of the token up to block ${blockNumber}: ${logs.length}`)

const socket = createPublicClient({ chain, transport: webSocket() })
await new Promise<void>((resolve) => {
  let heads = 0
  const stop = socket.watchBlocks({
    onBlock: ({ number, hash }) => {
      console.log(`new head ${number} ${hash}`)
      heads += 1
      if (heads < 3) return
      stop()
      resolve()
    },
  })
})
;(await socket.transport.getRpcClient()).close()
