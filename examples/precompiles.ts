/**
 * Delegates, reads rewards and withdraws them, proposes and votes with viem, through the precompiled contracts: what
 * MetaMask can sign too. Run "make devnet", then `node examples/precompiles.ts`. RPC_URL and PRIVATE_KEY override the
 * devnet's.
 */
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  formatEther,
  type Hash,
  type Hex,
  http,
  parseEther,
  parseEventLogs,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  bankAbi,
  bech32Abi,
  distributionAbi,
  govAbi,
  PRECOMPILE_ADDRESSES,
  stakingAbi,
} from '../packages/precompiles/index.ts'

const rpcUrl = process.env['RPC_URL'] ?? 'http://localhost:8545'
// The first account of the devnet: everyone knows this key.
const key = process.env['PRIVATE_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const chain = defineChain({
  id: 2517,
  name: 'NAT devnet',
  nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
})
const account = privateKeyToAccount(key as Hex)
const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
const wallet = createWalletClient({ account, chain, transport: http() })

const bank = { address: PRECOMPILE_ADDRESSES.bank, abi: bankAbi } as const
const bech32 = { address: PRECOMPILE_ADDRESSES.bech32, abi: bech32Abi } as const
const distribution = { address: PRECOMPILE_ADDRESSES.distribution, abi: distributionAbi } as const
const gov = { address: PRECOMPILE_ADDRESSES.gov, abi: govAbi } as const
const staking = { address: PRECOMPILE_ADDRESSES.staking, abi: stakingAbi } as const

/** Waits for the block; returns the logs. */
const confirm = async (what: string, hash: Hash) => {
  const { status, blockNumber, logs } = await client.waitForTransactionReceipt({ hash })
  if (status === 'reverted') throw new TypeError(`${what}: reverted`)
  console.log(`${what} in block ${blockNumber}: ${hash}`)
  return logs
}

// Both are declared as if they wrote, so they are simulated, not read.
const { result: native } = await client.simulateContract({
  ...bech32,
  functionName: 'hexToBech32',
  args: [account.address, 'nat'],
})
console.log(`${account.address} is ${native}`)
const { result: same } = await client.simulateContract({ ...bech32, functionName: 'bech32ToHex', args: [native] })
console.log(`${native} is ${same}`)

const balances = await client.readContract({ ...bank, functionName: 'balances', args: [account.address] })
for (const { contractAddress, amount } of balances) console.log(`balance: ${formatEther(amount)} of ${contractAddress}`)

const page = { key: '0x', offset: 0n, limit: 10n, countTotal: false, reverse: false } as const
const [[first]] = await client.readContract({
  ...staking,
  functionName: 'validators',
  args: ['BOND_STATUS_BONDED', page],
})
if (first === undefined) throw new TypeError('a chain without validators')
const { result: validator } = await client.simulateContract({
  ...bech32,
  functionName: 'hexToBech32',
  args: [first.operatorAddress as Hex, 'natvaloper'],
})

const delegate = await wallet.writeContract({
  ...staking,
  functionName: 'delegate',
  args: [account.address, validator, parseEther('100')],
})
const delegated = parseEventLogs({ abi: stakingAbi, logs: await confirm('delegated 100 NAT', delegate) })
console.log(`logs: ${delegated.map(({ eventName }) => eventName).join(', ')}`)
const [, { amount: stake }] = await client.readContract({
  ...staking,
  functionName: 'delegation',
  args: [account.address, validator],
})
console.log(`delegated to ${validator}: ${formatEther(stake)} NAT`)

// The fees of one block are shared out at the beginning of the next.
await confirm('sent 1 anat', await wallet.sendTransaction({ to: account.address, value: 1n }))
const rewards = await client.readContract({
  ...distribution,
  functionName: 'delegationRewards',
  args: [account.address, validator],
})
console.log(`rewards: ${rewards[0]?.amount ?? 0n} anat`)
const withdraw = await wallet.writeContract({
  ...distribution,
  functionName: 'withdrawDelegatorRewards',
  args: [account.address, validator],
})
await confirm('withdrew the rewards', withdraw)

const { minDeposit } = await client.readContract({ ...gov, functionName: 'getParams' })
// Without messages it decides nothing: a text, which metadata must tell more about.
const proposal = {
  title: 'An example',
  summary: 'A proposal from viem',
  metadata: 'https://example.org/1',
  messages: [],
}
const submit = await wallet.writeContract({
  ...gov,
  functionName: 'submitProposal',
  args: [account.address, toHex(JSON.stringify(proposal)), minDeposit],
})
const [submitted] = parseEventLogs({
  abi: govAbi,
  eventName: 'SubmitProposal',
  logs: await confirm('submitted a proposal', submit),
})
if (submitted === undefined) throw new TypeError('a proposal without a log')
const { proposalId } = submitted.args
const YES = 1
const vote = await wallet.writeContract({
  ...gov,
  functionName: 'vote',
  args: [account.address, proposalId, YES, ''],
})
await confirm(`voted yes on proposal ${proposalId}`, vote)
const { yes } = await client.readContract({ ...gov, functionName: 'getTallyResult', args: [proposalId] })
console.log(`yes: ${yes} anat`)
