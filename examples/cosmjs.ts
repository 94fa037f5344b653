/**
 * Sends NAT, delegates, reads rewards and withdraws them, and votes on a proposal with CosmJS. Run "make devnet", then
 * `node examples/cosmjs.ts`. COMET_URL, MNEMONIC and ACCOUNT (0 to 9) override the devnet's.
 */
import { stringToPath } from '@cosmjs/crypto'
import { DirectEthSecp256k1HdWallet, type EncodeObject } from '@cosmjs/proto-signing'
import {
  GasPrice,
  QueryClient,
  setupDistributionExtension,
  setupGovExtension,
  setupStakingExtension,
  SigningStargateClient,
} from '@cosmjs/stargate'
import { connectComet } from '@cosmjs/tendermint-rpc'
import { TextProposal } from 'cosmjs-types/cosmos/gov/v1beta1/gov'

const cometUrl = process.env['COMET_URL'] ?? 'http://localhost:26657'
// The key is of the devnet: everyone knows it.
const mnemonic = process.env['MNEMONIC'] ?? 'test test test test test test test test test test test junk'
const account = process.env['ACCOUNT'] ?? '0'
const NAT = 10n ** 18n

// The same address as in MetaMask: coin type 60 and an Ethereum key.
const wallet = await DirectEthSecp256k1HdWallet.fromMnemonic(mnemonic, {
  prefix: 'nat',
  hdPaths: [stringToPath(`m/44'/60'/0'/0/${account}`)],
})
const [{ address } = { address: '' }] = await wallet.getAccounts()
const comet = await connectComet(cometUrl)
const client = SigningStargateClient.createWithSigner(comet, wallet, {
  gasPrice: GasPrice.fromString('3000000000anat'),
  broadcastPollIntervalMs: 300,
})
const queries = QueryClient.withExtensions(comet, setupStakingExtension, setupDistributionExtension, setupGovExtension)
const coin = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })

const broadcast = async (what: string, ...messages: readonly EncodeObject[]) => {
  const result = await client.signAndBroadcast(address, messages, 'auto')
  if (result.code !== 0) throw new TypeError(`${what}: ${result.rawLog}`)
  console.log(`${what} in block ${result.height}: ${result.transactionHash}`)
  return result
}

await broadcast('sent 1 NAT', {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress: address, toAddress: 'nat1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqehr36f', amount: [coin(NAT)] },
})

const { validators } = await queries.staking.validators('BOND_STATUS_BONDED')
const validatorAddress = validators[0]?.operatorAddress ?? ''
await broadcast('delegated 100 NAT', {
  typeUrl: '/cosmos.staking.v1beta1.MsgDelegate',
  value: { delegatorAddress: address, validatorAddress, amount: coin(100n * NAT) },
})
const { delegationResponse } = await queries.staking.delegation(address, validatorAddress)
console.log(`delegated to ${validatorAddress}: ${delegationResponse?.balance?.amount} anat`)

// The fees of one block are shared out at the beginning of the next.
await broadcast('sent 1 anat', {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress: address, toAddress: address, amount: [coin(1n)] },
})
const { rewards } = await queries.distribution.delegationRewards(address, validatorAddress)
// Decimals come as integers of 10^-18 parts.
console.log(`rewards: ${BigInt(rewards[0]?.amount ?? 0) / 10n ** 18n} anat`)
await broadcast('withdrew the rewards', {
  typeUrl: '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
  value: { delegatorAddress: address, validatorAddress },
})

const { depositParams } = await queries.gov.params('deposit')
const submitted = await broadcast('submitted a proposal', {
  typeUrl: '/cosmos.gov.v1beta1.MsgSubmitProposal',
  value: {
    content: {
      typeUrl: '/cosmos.gov.v1beta1.TextProposal',
      value: TextProposal.encode({ title: 'An example', description: 'A proposal from CosmJS' }).finish(),
    },
    initialDeposit: depositParams?.minDeposit ?? [],
    proposer: address,
  },
})
const proposalId = submitted.events
  .find(({ type }) => type === 'submit_proposal')
  ?.attributes.find(({ key }) => key === 'proposal_id')?.value
await broadcast(`voted yes on proposal ${proposalId}`, {
  typeUrl: '/cosmos.gov.v1beta1.MsgVote',
  value: { proposalId: BigInt(proposalId ?? 0), voter: address, option: 1 },
})
const { tally } = await queries.gov.tally(proposalId ?? '')
console.log(`yes: ${tally?.yes} anat`)
comet.disconnect()
