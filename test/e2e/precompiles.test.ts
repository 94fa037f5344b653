/**
 * The native modules through their precompiled contracts on a real node, as MetaMask calls them: gas estimated by the
 * node, default fees, eth_sendRawTransaction. CometBFT, REST and CosmJS are the witnesses.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { QueryClient, setupStakingExtension, setupTxExtension } from '@cosmjs/stargate'
import { connectComet } from '@cosmjs/tendermint-rpc'
import {
  type Abi,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  parseEther,
  parseEventLogs,
  toHex,
  type TransactionReceipt,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { invariant } from '../../core/errors.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { sha256 } from '../../core/hash.ts'
import { consensusAddress } from '../../core/signature.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import {
  bankAbi,
  bech32Abi,
  distributionAbi,
  govAbi,
  NATIVE_TOKEN_ADDRESS,
  PRECOMPILE_ADDRESSES,
  slashingAbi,
  stakingAbi,
} from '../../packages/precompiles/index.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { repository, until, useNode } from './harness.ts'

const node = useNode({ timeoutCommitMs: 200 })

const bank = { address: PRECOMPILE_ADDRESSES.bank, abi: bankAbi } as const
const bech32 = { address: PRECOMPILE_ADDRESSES.bech32, abi: bech32Abi } as const
const distribution = { address: PRECOMPILE_ADDRESSES.distribution, abi: distributionAbi } as const
const gov = { address: PRECOMPILE_ADDRESSES.gov, abi: govAbi } as const
const slashing = { address: PRECOMPILE_ADDRESSES.slashing, abi: slashingAbi } as const
const staking = { address: PRECOMPILE_ADDRESSES.staking, abi: stakingAbi } as const

const { abi: vaultAbi, bytecode: vaultBytecode } = JSON.parse(
  readFileSync(join(repository, 'test', 'precompiles', 'contracts', 'vault.json'), 'utf8'),
) as { readonly abi: Abi; readonly bytecode: Hex }

const NAT = parseEther('1')
const PAGE = { key: '0x', offset: 0n, limit: 10n, countTotal: false, reverse: false } as const
const [OPERATOR, ALICE, NEWCOMER] = [accountAt(0), accountAt(1), accountAt(2)]
const ME = ALICE.address
const bytesOf = ({ address }: PrivateKeyAccount): Uint8Array => hexToBytes(address)
const VALIDATOR = formatOperator(bytesOf(OPERATOR))
const OTHER_VALIDATOR = formatOperator(bytesOf(NEWCOMER))

const client = () => createClient(node())
const wallet = (account = ALICE) => createWallet(node(), account)

const mined = async (hash: Hash): Promise<TransactionReceipt> => {
  const receipt = await client().waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return receipt
}

const logsOf = (abi: Abi, { logs }: TransactionReceipt) =>
  logs.map((log) => {
    const { eventName, args } = decodeEventLog({ abi, topics: log.topics, data: log.data })
    return { address: log.address, eventName, args }
  })

const delegated = async (account: Hex, validator = VALIDATOR): Promise<bigint> => {
  const args = [account, validator] as const
  const [, { amount }] = await client().readContract({ ...staking, functionName: 'delegation', args })
  return amount
}

interface FoundTransactions {
  readonly total_count: string
  readonly txs: readonly { readonly hash: string; readonly height: string }[]
}
const search = (query: string): Promise<FoundTransactions> =>
  node().comet<FoundTransactions>(`tx_search?query=${encodeURIComponent(JSON.stringify(query))}`)

interface ShownTransaction {
  readonly tx: { readonly body: { readonly messages: readonly { readonly '@type': string }[] } }
  readonly tx_response: {
    readonly txhash: string
    readonly height: string
    readonly code: number
    readonly events: readonly { readonly type: string; readonly attributes: readonly object[] }[]
  }
}
const show = async (hash: string): Promise<ShownTransaction> => {
  const response = await fetch(`${node().urls.rest}/cosmos/tx/v1beta1/txs/${hash}`)
  expect(response.status).toBe(200)
  return (await response.json()) as ShownTransaction
}

/** CometBFT's hash of it. */
const cometHashOf = async (hash: Hash): Promise<string> => {
  const raw = await node().ask<Hex>('eth_getRawTransactionByHash', hash)
  return bytesToHex(sha256(hexToBytes(raw)))
    .slice(2)
    .toUpperCase()
}

describe('bech32 and bank', () => {
  it('are read by eth_call', async () => {
    const text = encodeBech32(bytesOf(ALICE))
    const there = await client().simulateContract({ ...bech32, functionName: 'hexToBech32', args: [ME, 'nat'] })
    expect(there.result).toBe(text)
    const back = await client().simulateContract({ ...bech32, functionName: 'bech32ToHex', args: [text] })
    expect(back.result).toBe(ME)
    const balances = await client().readContract({ ...bank, functionName: 'balances', args: [ME] })
    const amount = await client().getBalance({ address: ME })
    expect(balances).toEqual([{ contractAddress: NATIVE_TOKEN_ADDRESS, amount }])
    const supply = await client().readContract({ ...bank, functionName: 'supplyOf', args: [NATIVE_TOKEN_ADDRESS] })
    const total = await client().readContract({ ...bank, functionName: 'totalSupply' })
    expect(total).toEqual([{ contractAddress: NATIVE_TOKEN_ADDRESS, amount: supply }])
    const response = await fetch(`${node().urls.rest}/cosmos/bank/v1beta1/supply/by_denom?denom=anat`)
    expect(await response.json()).toEqual({ amount: { denom: 'anat', amount: supply.toString() } })
  })
})

describe('staking', () => {
  it('creates a validator with the key of a second node', async () => {
    const description = { moniker: 'other', identity: '', website: '', securityContact: '', details: '' }
    const rates = { rate: NAT / 10n, maxRate: NAT / 5n, maxChangeRate: NAT / 100n }
    const key = Buffer.alloc(32, 9).toString('base64')
    // The stake is below that of one unit of power, so the validator has no vote in consensus that it could miss.
    const args = [description, rates, 1n, NEWCOMER.address, key, NAT / 4n] as const
    const receipt = await mined(
      await wallet(NEWCOMER).writeContract({ ...staking, functionName: 'createValidator', args }),
    )
    expect(logsOf(stakingAbi, receipt)).toEqual([
      {
        address: staking.address,
        eventName: 'CreateValidator',
        args: { validatorAddress: NEWCOMER.address, value: NAT / 4n },
      },
    ])
    const shown = await client().readContract({ ...staking, functionName: 'validator', args: [NEWCOMER.address] })
    expect(shown).toMatchObject({
      operatorAddress: NEWCOMER.address,
      consensusPubkey: key,
      tokens: NAT / 4n,
      commission: NAT / 10n,
      description,
    })
    const [all] = await client().readContract({ ...staking, functionName: 'validators', args: ['', PAGE] })
    expect(all.length).toBe(2)
    const edited = [{ ...description, moniker: 'renamed' }, NEWCOMER.address, -1n, -1n] as const
    await mined(await wallet(NEWCOMER).writeContract({ ...staking, functionName: 'editValidator', args: edited }))
    const after = await client().readContract({ ...staking, functionName: 'validator', args: [NEWCOMER.address] })
    expect(after.description.moniker).toBe('renamed')
  })

  it('delegates, with a log that wallets decode', async () => {
    const before = await client().getBalance({ address: ME })
    const args = [ME, VALIDATOR, 100n * NAT] as const
    const hash = await wallet().writeContract({ ...staking, functionName: 'delegate', args })
    const receipt = await mined(hash)
    const expected = {
      eventName: 'Delegate',
      args: {
        delegatorAddress: ME,
        validatorAddress: OPERATOR.address,
        amount: 100n * NAT,
        newShares: 100n * NAT * NAT,
      },
    }
    expect(logsOf(stakingAbi, receipt)).toEqual([{ address: staking.address, ...expected }])
    const filter = { ...staking, eventName: 'Delegate', args: { delegatorAddress: ME } } as const
    const logs = await client().getContractEvents({ ...filter, fromBlock: receipt.blockNumber })
    expect(logs).toMatchObject([{ transactionHash: hash, ...expected }])
    const paid = receipt.gasUsed * receipt.effectiveGasPrice
    expect(await client().getBalance({ address: ME })).toBe(before - 100n * NAT - paid)
    expect(await delegated(ME)).toBe(100n * NAT)
  })

  it('redelegates, undelegates and takes that back', async () => {
    const move = [ME, VALIDATOR, OTHER_VALIDATOR, NAT / 10n] as const
    const moved = await mined(await wallet().writeContract({ ...staking, functionName: 'redelegate', args: move }))
    expect(logsOf(stakingAbi, moved)).toMatchObject([{ eventName: 'Redelegate', args: { amount: NAT / 10n } }])
    expect(await delegated(ME, OTHER_VALIDATOR)).toBe(NAT / 10n)
    const out = [ME, VALIDATOR, 10n * NAT] as const
    const left = await mined(await wallet().writeContract({ ...staking, functionName: 'undelegate', args: out }))
    expect(logsOf(stakingAbi, left)).toMatchObject([{ eventName: 'Unbond', args: { amount: 10n * NAT } }])
    const pending = async () => {
      const args = [ME, VALIDATOR] as const
      const { entries } = await client().readContract({ ...staking, functionName: 'unbondingDelegation', args })
      return entries.map(({ creationHeight, balance }) => [creationHeight, balance])
    }
    expect(await pending()).toEqual([[left.blockNumber, 10n * NAT]])
    const back = [ME, VALIDATOR, 4n * NAT, left.blockNumber] as const
    await mined(await wallet().writeContract({ ...staking, functionName: 'cancelUnbondingDelegation', args: back }))
    expect(await pending()).toEqual([[left.blockNumber, 6n * NAT]])
    expect(await delegated(ME)).toBe(94n * NAT - NAT / 10n)
  })

  it('says why it refuses, before anything is signed and by eth_call', async () => {
    const args = [OPERATOR.address, VALIDATOR, 1n] as const
    const why = /msg\.sender address .* does not match the requester address/
    await expect(wallet().writeContract({ ...staking, functionName: 'delegate', args })).rejects.toThrow(why)
    const call = client().simulateContract({ ...staking, functionName: 'delegate', args, account: ME })
    await expect(call).rejects.toThrow(why)
  })
})

describe('distribution', () => {
  const rewards = async (): Promise<bigint> => {
    const args = [ME, VALIDATOR] as const
    const [first] = await client().readContract({ ...distribution, functionName: 'delegationRewards', args })
    return first?.amount ?? 0n
  }

  it('withdraws rewards to the address that was named', async () => {
    const receiver = getAddress(`0x${'a7'.repeat(20)}`)
    const named = [ME, receiver] as const
    await mined(await wallet().writeContract({ ...distribution, functionName: 'setWithdrawAddress', args: named }))
    const where = await client().readContract({
      ...distribution,
      functionName: 'delegatorWithdrawAddress',
      args: [ME],
    })
    expect(where).toBe(encodeBech32(hexToBytes(receiver)))
    // Whole units of what the fees of its blocks give it.
    const due = await until('rewards', async () => (await rewards()) || undefined)
    const args = [ME, VALIDATOR] as const
    const hash = await wallet().writeContract({ ...distribution, functionName: 'withdrawDelegatorRewards', args })
    const [log] = logsOf(distributionAbi, await mined(hash))
    const received = await client().getBalance({ address: receiver })
    expect(received).toBeGreaterThanOrEqual(due)
    expect(log).toMatchObject({
      eventName: 'WithdrawDelegatorReward',
      args: { delegatorAddress: ME, validatorAddress: OPERATOR.address, amount: received },
    })
    await until('rewards', async () => (await rewards()) || undefined)
    const claimed = await mined(
      await wallet().writeContract({ ...distribution, functionName: 'claimRewards', args: [ME, 10] }),
    )
    const more = (await client().getBalance({ address: receiver })) - received
    expect(logsOf(distributionAbi, claimed).at(-1)).toMatchObject({
      eventName: 'ClaimRewards',
      args: { delegatorAddress: ME, amount: more },
    })
  })

  it('funds the pool and pays the commission of an operator', async () => {
    const gift = [ME, [{ denom: 'anat', amount: NAT }]] as const
    await mined(await wallet().writeContract({ ...distribution, functionName: 'fundCommunityPool', args: gift }))
    const [pool] = await client().readContract({ ...distribution, functionName: 'communityPool' })
    expect(pool?.amount).toBeGreaterThanOrEqual(NAT)
    const hash = await wallet(OPERATOR).writeContract({
      ...distribution,
      functionName: 'withdrawValidatorCommission',
      args: [VALIDATOR],
    })
    expect(logsOf(distributionAbi, await mined(hash))).toMatchObject([{ eventName: 'WithdrawValidatorCommission' }])
  })
})

describe('gov', () => {
  const submit = async (share: bigint): Promise<bigint> => {
    const { minDeposit } = await client().readContract({ ...gov, functionName: 'getParams' })
    const proposal = { title: 'A title', summary: 'A text', metadata: 'more of it' }
    const deposit = minDeposit.map(({ denom, amount }) => ({ denom, amount: amount / share }))
    const args = [ME, toHex(JSON.stringify(proposal)), deposit] as const
    const receipt = await mined(await wallet().writeContract({ ...gov, functionName: 'submitProposal', args }))
    const [log] = parseEventLogs({ abi: govAbi, eventName: 'SubmitProposal', logs: receipt.logs })
    invariant(log?.address === gov.address, 'the precompile tells of the proposal')
    return log.args.proposalId
  }

  it('takes a proposal, its deposit and votes', async () => {
    const id = await submit(2n)
    const { totalDeposit: half, status } = await client().readContract({
      ...gov,
      functionName: 'getProposal',
      args: [id],
    })
    expect(status).toBe(1)
    await mined(await wallet().writeContract({ ...gov, functionName: 'deposit', args: [ME, id, half] }))
    const shown = await client().readContract({ ...gov, functionName: 'getProposal', args: [id] })
    expect(shown).toMatchObject({ id, status: 2, title: 'A title', summary: 'A text', proposer: ME })
    const whole = await mined(
      await wallet().writeContract({ ...gov, functionName: 'vote', args: [ME, id, 3, 'because'] }),
    )
    expect(logsOf(govAbi, whole)).toMatchObject([{ eventName: 'Vote', args: { voter: ME, proposalId: id, option: 3 } }])
    const options = [
      { option: 1, weight: '0.750000000000000000' },
      { option: 2, weight: '0.250000000000000000' },
    ]
    await mined(await wallet().writeContract({ ...gov, functionName: 'voteWeighted', args: [ME, id, options, ''] }))
    expect(await client().readContract({ ...gov, functionName: 'getVote', args: [id, ME] })).toMatchObject({ options })
    const { yes, abstain } = await client().readContract({ ...gov, functionName: 'getTallyResult', args: [id] })
    expect(BigInt(yes)).toBe(3n * BigInt(abstain))
  })

  it('cancels a proposal for its proposer alone', async () => {
    const id = await submit(1n)
    const args = [OPERATOR.address, id] as const
    const other = wallet(OPERATOR).writeContract({ ...gov, functionName: 'cancelProposal', args })
    await expect(other).rejects.toThrow(/reverted/)
    await mined(await wallet().writeContract({ ...gov, functionName: 'cancelProposal', args: [ME, id] }))
    const [list] = await client().readContract({
      ...gov,
      functionName: 'getProposals',
      args: [0, `0x${'00'.repeat(20)}`, ME, PAGE],
    })
    expect(list.map((each) => each.id)).not.toContain(id)
  })
})

describe('slashing', () => {
  it('tells of a validator, and frees none that is not jailed', async () => {
    const { validator_info: self } = await node().comet<{ validator_info: { pub_key: { value: string } } }>('status')
    const address = getAddress(bytesToHex(consensusAddress(Buffer.from(self.pub_key.value, 'base64'))))
    const info = await client().readContract({ ...slashing, functionName: 'getSigningInfo', args: [address] })
    expect(info).toMatchObject({ validatorAddress: address, tombstoned: false, missedBlocksCounter: 0n })
    const { signedBlocksWindow } = await client().readContract({ ...slashing, functionName: 'getParams' })
    expect(signedBlocksWindow).toBeGreaterThan(0n)
    const args = [OPERATOR.address] as const
    const unjail = wallet(OPERATOR).writeContract({ ...slashing, functionName: 'unjail', args })
    await expect(unjail).rejects.toThrow('validator not jailed')
  })
})

describe('a contract of Solidity', () => {
  let vault: Hex
  const write = (functionName: string, args: readonly unknown[], gas?: bigint): Promise<Hash> => {
    const data = encodeFunctionData({ abi: vaultAbi, functionName, args })
    return wallet().sendTransaction({ to: vault, data, ...(gas === undefined ? {} : { gas }) })
  }
  const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    client().readContract({ address: vault, abi: vaultAbi, functionName, args })

  beforeAll(async () => {
    const value = 50n * NAT
    const hash = await wallet().deployContract({ abi: vaultAbi, bytecode: vaultBytecode, value })
    const { contractAddress } = await mined(hash)
    invariant(contractAddress, 'the vault was deployed')
    vault = contractAddress
  })

  it('stakes what it holds, and reads it in a static frame', async () => {
    const receipt = await mined(await write('stake', [VALIDATOR, 5n * NAT]))
    expect(logsOf(stakingAbi, receipt)).toMatchObject([
      { address: staking.address, eventName: 'Delegate', args: { delegatorAddress: getAddress(vault) } },
    ])
    expect(await read('delegated', [VALIDATOR])).toEqual([5n * NAT * NAT, { denom: 'anat', amount: 5n * NAT }])
    const supply = await client().readContract({ ...bank, functionName: 'supplyOf', args: [NATIVE_TOKEN_ADDRESS] })
    expect(await read('nativeSupply')).toBe(supply)
  })

  it('undoes what it staked when its frame reverts', async () => {
    await expect(write('stakeAndRevert', [VALIDATOR, NAT])).rejects.toThrow('changed my mind')
    const hash = await write('stakeAndRevert', [VALIDATOR, NAT], 1_000_000n)
    const receipt = await client().waitForTransactionReceipt({ hash })
    expect([receipt.status, receipt.logs]).toEqual(['reverted', []])
    expect(await delegated(vault)).toBe(5n * NAT)
    expect(await client().getBalance({ address: vault })).toBe(45n * NAT)
    const { events } = (await show(hash)).tx_response
    expect(events.map(({ type }) => type)).toEqual(['ethereum_tx'])
  })

  it('keeps what its outer frame staked, and loses what an inner one did', async () => {
    const hash = await write('stakeTwice', [VALIDATOR, NAT])
    const receipt = await mined(hash)
    expect(logsOf(stakingAbi, receipt)).toMatchObject([{ eventName: 'Delegate', args: { amount: NAT } }])
    expect(await read('reason')).toBe('changed my mind')
    expect(await delegated(vault)).toBe(6n * NAT)
    const { events } = (await show(hash)).tx_response
    expect(events.filter(({ type }) => type === 'delegate').length).toBe(1)
  })

  it('hears why it was refused', async () => {
    await mined(await write('stakeForAnother', [ME, VALIDATOR]))
    expect(await read('reason')).toMatch(/^msg\.sender address .* does not match the requester address/)
  })
})

describe('the native events of an Ethereum transaction', () => {
  const amount = 7n * NAT + 7n
  let hash: Hash
  let height: bigint

  beforeAll(async () => {
    const args = [ME, VALIDATOR, amount] as const
    hash = await wallet().writeContract({ ...staking, functionName: 'delegate', args })
    height = (await mined(hash)).blockNumber
  })

  const expectShown = ({ tx, tx_response: response }: ShownTransaction, txhash: string): void => {
    expect(tx.body.messages.map((message) => message['@type'])).toEqual(['/cosmos.evm.vm.v1.MsgEthereumTx'])
    expect(response).toMatchObject({ txhash, height: String(height), code: 0 })
    const types = response.events.map(({ type }) => type)
    expect(types[0]).toBe('ethereum_tx')
    expect(types).toEqual(expect.arrayContaining(['withdraw_rewards', 'coin_spent', 'coin_received', 'delegate']))
    expect(response.events.find(({ type }) => type === 'delegate')?.attributes).toMatchObject([
      { key: 'validator', value: VALIDATOR },
      { key: 'delegator', value: encodeBech32(bytesOf(ALICE)) },
      { key: 'amount', value: `${amount}anat` },
      { key: 'new_shares', value: `${amount}.000000000000000000` },
    ])
  }

  it('are found by CometBFT', async () => {
    const txhash = await cometHashOf(hash)
    for (const query of [
      `delegate.delegator='${encodeBech32(bytesOf(ALICE))}' AND delegate.amount='${amount}anat'`,
      `ethereum_tx.ethereumTxHash='${hash}'`,
    ]) {
      const found = await until(query, async () => {
        const answer = await search(query)
        return answer.total_count === '0' ? undefined : answer
      })
      expect(found.txs.map((each) => [each.hash, each.height])).toEqual([[txhash, String(height)]])
    }
  })

  it('are shown by both of its hashes over REST and to CosmJS, also after a restart', async () => {
    const txhash = await cometHashOf(hash)
    const all = async (): Promise<void> => {
      for (const each of [hash, txhash]) expectShown(await show(each), txhash)
      const comet = await connectComet(node().urls.comet)
      try {
        const queries = QueryClient.withExtensions(comet, setupTxExtension, setupStakingExtension)
        for (const each of [hash, txhash]) {
          const { txResponse } = await queries.tx.getTx(each)
          expect(txResponse?.events.map(({ type }) => type)).toContain('delegate')
        }
        const { delegationResponse } = await queries.staking.delegation(encodeBech32(bytesOf(ALICE)), VALIDATOR)
        expect(BigInt(delegationResponse?.balance?.amount ?? 0)).toBe(await delegated(ME))
      } finally {
        comet.disconnect()
      }
    }
    await all()
    await node().stop()
    await node().start()
    await until("CometBFT's RPC", () => node().comet('status'))
    await all()
  })
})

// Last: nobody runs the new validator, and CometBFT waits for its proposals from here on.
it('a delegation gives a new validator its power two heights later', async () => {
  const args = [ME, OTHER_VALIDATOR, NAT] as const
  const { blockNumber } = await mined(await wallet().writeContract({ ...staking, functionName: 'delegate', args }))
  const powersAt = async (height: bigint): Promise<readonly string[]> => {
    const route = `validators?height=${height}`
    const { validators } = await until(route, () =>
      node().comet<{ validators: readonly { voting_power: string }[] }>(route),
    )
    return validators.map((each) => each.voting_power)
  }
  const before = await powersAt(blockNumber + 1n)
  expect(before.length).toBe(1)
  expect(await powersAt(blockNumber + 2n)).toEqual([...before, '1'])
})
