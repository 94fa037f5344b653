/**
 * Four validators with stakes: delegations become power, the absent are slashed and jailed, liars are tombstoned, and
 * votes of governance change parameters and halt the chain for an upgrade. CometBFT is the witness.
 */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GenesisDocument } from '../../bin/node/genesis/document.ts'
import { moduleAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { consensusAddress } from '../../core/signature.ts'
import { formatConsensusAddress, formatOperator } from '../../modules/validator-addresses.ts'
import { govTx, slashingTx, stakingTx, upgradeTx } from '../../proto/index.ts'
import { bech32Of, type Packed, signNative } from '../sim/native-transactions.ts'
import { accountAt, accounts } from './clients.ts'
import { reportDoubleSign } from './double-sign.ts'
import { CHAIN_ID, chainCommand, repository, runChain, type TestNode, until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'

const COUNT = 4
const NAT = 10n ** 18n
const OPTIONS = { timeoutCommitMs: 200 } as const
/** Runs the version that is due, of those that are prepared. */
const UPGRADING = [chainCommand, 'upgrade', 'run']
const GOVERNANCE = encodeBech32(moduleAddress('gov'))
const WINDOW = 12

/** What takes days on a chain of people takes seconds here. */
const editGenesis = (genesis: GenesisDocument): GenesisDocument => {
  const { app_state: state } = genesis
  const member = (name: string): Record<string, unknown> => (state[name] ?? {}) as Record<string, unknown>
  const withParams = (name: string, params: Readonly<Record<string, unknown>>) => ({
    ...member(name),
    params: { ...(member(name)['params'] as object | undefined), ...params },
  })
  return {
    ...genesis,
    app_state: {
      ...state,
      slashing: withParams('slashing', {
        signed_blocks_window: String(WINDOW),
        min_signed_per_window: '0.500000000000000000',
        downtime_jail_duration: '2s',
      }),
      gov: withParams('gov', { voting_period: '6s', expedited_voting_period: '3s', max_deposit_period: '6s' }),
    },
  } as GenesisDocument
}

let network: Network
const nodeAt = (index: number): TestNode => network.at(index)

beforeAll(async () => {
  const created = await createNetwork({
    members: Array.from({ length: COUNT }, () => ({ ...OPTIONS, command: UPGRADING })),
    editGenesis,
  })
  network = created
  await created.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => {
  await network?.remove()
})

const pack = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Packed => ({
  typeUrl: `/${schema.typeName}`,
  value: toBinary(schema, create(schema, message)),
})

interface Included {
  readonly height: number
  readonly code: number
  readonly log: string
}

/** Signs with the account's next sequence and waits until it is in a block. */
const send = async (account: PrivateKeyAccount, ...messages: readonly Packed[]): Promise<Included> => {
  const node = nodeAt(0)
  const sequence = Number(await node.ask<string>('eth_getTransactionCount', account.address, 'latest'))
  const raw = await signNative({ chainId: CHAIN_ID, messages, signers: [{ account, sequence }], gas: 1_000_000n })
  const sent = await node.comet<{ code: number; log: string; hash: string }>(`broadcast_tx_sync?tx=${bytesToHex(raw)}`)
  expect(sent.code, sent.log).toBe(0)
  return until('the transaction in a block', async () => {
    const found = await node.comet<{ height: string; tx_result: { code: number; log: string } }>(
      `tx?hash=0x${sent.hash}`,
    )
    return { height: Number(found.height), code: found.tx_result.code, log: found.tx_result.log }
  })
}

const succeed = async (account: PrivateKeyAccount, ...messages: readonly Packed[]): Promise<number> => {
  const { code, log, height } = await send(account, ...messages)
  expect(code, log).toBe(0)
  return height
}

const rest = async <T>(path: string): Promise<T> => {
  const response = await fetch(`${nodeAt(0).urls.rest}${path}`)
  return (await response.json()) as T
}

interface CometValidators {
  readonly validators: readonly {
    readonly address: string
    readonly pub_key: { value: string }
    voting_power: string
  }[]
}

/** Address and power by operator: account i operates validator i. */
const consensusOf = async (index: number): Promise<{ readonly hex: string; readonly bech32: string }> => {
  const status = await nodeAt(index).comet<{ validator_info: { pub_key: { value: string } } }>('status')
  const address = consensusAddress(Buffer.from(status.validator_info.pub_key.value, 'base64'))
  return { hex: Buffer.from(address).toString('hex').toUpperCase(), bech32: formatConsensusAddress(address) }
}

const powerAt = async (height: number, address: string): Promise<number> => {
  await nodeAt(0).untilHeight(height)
  const { validators } = await nodeAt(0).comet<CometValidators>(`validators?height=${height}&per_page=100`)
  return Number(validators.find((each) => each.address === address)?.voting_power ?? 0)
}

const operatorOf = (index: number): string => formatOperator(hexToBytes(accountAt(index).address))

interface ShownValidator {
  readonly validator: { readonly jailed: boolean; readonly status: string; readonly tokens: string }
}
const validatorAt = async (index: number): Promise<ShownValidator['validator']> =>
  (await rest<ShownValidator>(`/cosmos/staking/v1beta1/validators/${operatorOf(index)}`)).validator

interface SigningInfo {
  readonly val_signing_info: {
    readonly tombstoned: boolean
    readonly jailed_until: string
    readonly missed_blocks_counter: string
  }
}
const signingInfo = async (address: string): Promise<SigningInfo['val_signing_info']> =>
  (await rest<SigningInfo>(`/cosmos/slashing/v1beta1/signing_infos/${address}`)).val_signing_info

const anat = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })
const addresses: { hex: string; bech32: string }[] = []

describe('stakes of four validators', () => {
  it('give power two heights later', async () => {
    for (let index = 0; index < COUNT; index++) addresses.push(await consensusOf(index))
    const [{ hex } = { hex: '' }] = addresses
    const before = await powerAt(1, hex)
    expect(before).toBe(10)
    const message = {
      delegatorAddress: bech32Of(accountAt(5)),
      validatorAddress: operatorOf(0),
      amount: anat(7n * NAT),
    }
    const height = await succeed(accountAt(5), pack(stakingTx.MsgDelegateSchema, message))
    expect(await powerAt(height + 1, hex)).toBe(before)
    expect(await powerAt(height + 2, hex)).toBe(before + 7)
  })

  it('earn the fees, which delegators withdraw', async () => {
    const delegator = bech32Of(accountAt(5))
    const path = `/cosmos/distribution/v1beta1/delegators/${delegator}/rewards`
    const total = await until('rewards', async () => {
      const { total: coins } = await rest<{ total: readonly { denom: string; amount: string }[] }>(path)
      return coins[0]
    })
    expect(total).toMatchObject({ denom: 'anat', amount: expect.stringMatching(/^[1-9][0-9]*\.[0-9]{18}$/) as string })
  })

  it('of one that is away are slashed, and it comes back by itself', async () => {
    const [index, { hex = '', bech32 = '' } = {}] = [3, addresses[3]]
    const before = BigInt((await validatorAt(index)).tokens)
    await nodeAt(index).stop('SIGKILL')
    await until('the jail', async () => ((await validatorAt(index)).jailed ? true : undefined))
    const jailed = await validatorAt(index)
    expect(BigInt(jailed.tokens)).toBe((before * 99n) / 100n)
    expect(jailed.status).not.toBe('BOND_STATUS_BONDED')
    await until('the set without it', async () =>
      (await powerAt(await nodeAt(0).height(), hex)) === 0 ? true : undefined,
    )
    expect(await signingInfo(bech32)).toMatchObject({ tombstoned: false, missed_blocks_counter: '0' })
    const early = await send(accountAt(index), pack(slashingTx.MsgUnjailSchema, { validatorAddr: operatorOf(index) }))
    // Two seconds in jail may be over already.
    if (early.code !== 0) expect(early.log).toContain('validator still jailed')
    await nodeAt(index).start()
    await until('the end of the jail', async () => {
      if (!(await validatorAt(index)).jailed) return true
      await send(accountAt(index), pack(slashingTx.MsgUnjailSchema, { validatorAddr: operatorOf(index) }))
      return (await validatorAt(index)).jailed ? undefined : true
    })
    await until('the set with it', async () =>
      (await powerAt(await nodeAt(0).height(), hex)) === 9 ? true : undefined,
    )
  })

  it('of one that votes twice are slashed, and it never comes back', async () => {
    const [index, { hex = '', bech32 = '' } = {}] = [3, addresses[3]]
    const before = BigInt((await validatorAt(index)).tokens)
    // It is in the set of the next block.
    const height = await nodeAt(0).untilHeight((await nodeAt(0).height()) + 1)
    await reportDoubleSign(nodeAt(index), nodeAt(0), height, CHAIN_ID)
    await until('the tombstone', async () => ((await signingInfo(bech32)).tombstoned ? true : undefined))
    const { tokens, jailed } = await validatorAt(index)
    expect([jailed, BigInt(tokens) < before]).toEqual([true, true])
    await until('the set without it', async () =>
      (await powerAt(await nodeAt(0).height(), hex)) === 0 ? true : undefined,
    )
    const again = await send(accountAt(index), pack(slashingTx.MsgUnjailSchema, { validatorAddr: operatorOf(index) }))
    expect(again.log).toContain('validator still jailed')
    const { evidence } = await rest<{ evidence: readonly { consensus_address: string }[] }>(
      '/cosmos/evidence/v1beta1/evidence',
    )
    expect(evidence).toEqual([expect.objectContaining({ consensus_address: bech32 })])
  })
})

/** Proposes, and the three operators that are left vote yes. */
const decide = async (title: string, message: Packed): Promise<string> => {
  const { params } = await rest<{ params: { min_deposit: readonly { denom: string; amount: string }[] } }>(
    '/cosmos/gov/v1/params/deposit',
  )
  await succeed(
    accountAt(0),
    pack(govTx.MsgSubmitProposalSchema, {
      messages: [message],
      initialDeposit: params.min_deposit.map(({ denom, amount }) => ({ denom, amount })),
      proposer: bech32Of(accountAt(0)),
      title,
      summary: title,
    }),
  )
  const { proposals } = await rest<{ proposals: readonly { id: string }[] }>('/cosmos/gov/v1/proposals')
  const id = proposals.at(-1)?.id ?? ''
  for (const account of accounts.slice(0, 3)) {
    await succeed(account, pack(govTx.MsgVoteSchema, { proposalId: BigInt(id), voter: bech32Of(account), option: 1 }))
  }
  return id
}

const untilPassed = (id: string) =>
  until(`proposal ${id}`, async () => {
    const { proposal } = await rest<{ proposal: { status: string; failed_reason: string } }>(
      `/cosmos/gov/v1/proposals/${id}`,
    )
    expect(proposal.failed_reason).toBe('')
    return proposal.status === 'PROPOSAL_STATUS_PASSED' ? true : undefined
  })

describe('governance of four validators', () => {
  it('changes a parameter of a module', async () => {
    const { params } = await rest<{ params: { max_validators: number; historical_entries: number } }>(
      '/cosmos/staking/v1beta1/params',
    )
    const id = await decide(
      'more validators',
      pack(stakingTx.MsgUpdateParamsSchema, {
        authority: GOVERNANCE,
        params: {
          unbondingTime: { seconds: 1_814_400n },
          maxValidators: 77,
          maxEntries: 7,
          historicalEntries: params.historical_entries,
          bondDenom: 'anat',
          minCommissionRate: '0',
        },
      }),
    )
    await untilPassed(id)
    expect(await rest('/cosmos/staking/v1beta1/params')).toMatchObject({ params: { max_validators: 77 } })
  })

  /** A second version: this checkout, with an upgrade of that name. */
  const makeVersion = (folder: string, name: string): void => {
    const left = new Set(['node_modules', '.git', '.cache', '.devnet', 'test', 'docs', 'packages', 'examples'])
    cpSync(repository, folder, {
      recursive: true,
      filter: (path) => !left.has(relative(repository, path)),
    })
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    const path = join(folder, 'app', 'upgrades.ts')
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('= new Map()')
    writeFileSync(path, text.replace('= new Map()', `= new Map([['${name}', () => undefined]])`))
  }
  const prepare = async (node: TestNode, folder: string): Promise<void> => {
    expect(await runChain(['upgrade', 'add', 'next', folder, '--home', node.home])).toMatchObject({ status: 0 })
  }

  it('halts the chain for an upgrade at a height that every node names, and goes on with versions that were prepared', async () => {
    const nodes = network.nodes.slice(0, 3)
    const version = join(nodeAt(0).folder, 'next')
    makeVersion(version, 'next')
    // Before there is a plan: a busy machine may take longer for it than the chain for 60 blocks.
    for (const node of nodes.slice(1)) await prepare(node, version)
    const at = (await nodeAt(0).height()) + 60
    const message = { authority: GOVERNANCE, plan: { name: 'next', height: BigInt(at), info: 'a test' } }
    await untilPassed(await decide('an upgrade', pack(upgradeTx.MsgSoftwareUpgradeSchema, message)))
    const needed = `UPGRADE "next" NEEDED at height: ${at}`
    expect(await nodeAt(0).exited).not.toBe(0)
    expect(nodeAt(0).output).toContain('is not prepared: chain upgrade add "next"')
    for (const node of nodes) await until(needed, () => (node.output.includes(needed) ? true : undefined))
    // The same software has no handler by that name: it says so again instead of starting.
    const [first] = nodes
    first?.spawn()
    expect(await first?.exited).not.toBe(0)
    expect(first?.output).toContain(needed)
    await prepare(nodeAt(0), version)
    nodeAt(0).spawn()
    for (const node of nodes) {
      await node.untilHeight(at + 2)
      expect(node.output).toContain(`switching to the version "next" at height ${at}`)
    }
    await network.expectSameBlocks(at + 1, nodes)
  })
})
