/**
 * Sends NAT, deploys a contract, calls it, reads its logs and follows new heads with ethers v6. Run "make devnet", then
 * `node examples/ethers.ts`. RPC_URL, WS_URL and PRIVATE_KEY override the devnet's.
 */
import { readFileSync } from 'node:fs'
import { Contract, ContractFactory, formatEther, JsonRpcProvider, parseEther, Wallet, WebSocketProvider } from 'ethers'

const rpcUrl = process.env['RPC_URL'] ?? 'http://localhost:8545'
const wsUrl = process.env['WS_URL'] ?? 'ws://localhost:8546'
// The first account of the devnet: everyone knows this key.
const key = process.env['PRIVATE_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const { abi, bytecode } = JSON.parse(
  readFileSync(new URL('../test/e2e/contracts/token.json', import.meta.url), 'utf8'),
) as { abi: []; bytecode: string }

const provider = new JsonRpcProvider(rpcUrl, undefined, { pollingInterval: 200 })
const wallet = new Wallet(key, provider)

const payment = await wallet.sendTransaction({ to: receiver, value: parseEther('1') })
const paid = await payment.wait()
console.log(`sent 1 NAT in block ${paid?.blockNumber}: ${payment.hash}`)
console.log(`balance of the receiver: ${formatEther(await provider.getBalance(receiver))} NAT`)

const deployed = await new ContractFactory(abi, bytecode, wallet).deploy(parseEther('1000'))
await deployed.waitForDeployment()
const token = new Contract(await deployed.getAddress(), abi, wallet)
console.log(`deployed the token at ${await token.getAddress()}`)

const transfer = await token.getFunction('transfer').send(receiver, 5n)
const moved = await transfer.wait()
console.log(`tokens of the receiver: ${await token.getFunction('balanceOf')(receiver)}`)
const logs = await token.queryFilter(token.getEvent('Transfer'), paid?.blockNumber)
console.log(`logs of the token up to block ${moved?.blockNumber}: ${logs.length}`)

const socket = new WebSocketProvider(wsUrl)
const heads: number[] = []
await new Promise<void>((resolve) => {
  void socket.on('block', (height: number) => {
    heads.push(height)
    if (heads.length === 3) resolve()
  })
})
for (const height of heads) console.log(`new head ${height} ${(await socket.getBlock(height))?.hash}`)
await socket.destroy()
provider.destroy()
