/**
 * What stakes cost: the module hooks of an empty block, a withdrawal of rewards, and the end of many unbondings, with 500
 * validators and 20,000 delegations on RocksDB. Run: make bench BENCH=stake
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { writeGenesisBlock } from '../../app/genesis/genesis-block.ts'
import { beginBlockHooks, endBlockHooks } from '../../app/genesis/module-order.ts'
import { parseGenesis } from '../../app/genesis/genesis.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { testConsensusKey } from '../../core/testing/consensus-key.ts'
import { mint } from '../../modules/bank/index.ts'
import type { CommitVote, EndBlockContext } from '../../modules/module.ts'
import { POWER_REDUCTION } from '../../modules/stake.ts'
import { BONDED_POOL_ADDRESS, genesisValidator, NOT_BONDED_POOL_ADDRESS } from '../../modules/staking/index.ts'
import { consensusAddressOf, formatOperator } from '../../modules/validator-addresses.ts'
import { distributionTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { Overlay } from '../../store/overlay.ts'
import { openRocksStore } from '../../store/rocks/rocks-store.ts'

const VALIDATORS = 500
const DELEGATIONS = 20_000
const UNBONDINGS = 1_000
const ROUNDS = 40
const GENESIS_NS = 1_700_000_000_000_000_000n
const SECOND_NS = 1_000_000_000n
const MATURE_AT = '2023-12-01T00:00:00Z'
const MATURE_NS = BigInt(Date.parse(MATURE_AT)) * 1_000_000n
const STAKE = 40n * POWER_REDUCTION

const account = (index: number): Uint8Array => keccak256(uint64ToBytes(1_000_000 + index)).slice(12)
const validators = Array.from({ length: VALIDATORS }, (_, index) => {
  const publicKey = testConsensusKey(`validator ${index}`)
  const operator = account(index)
  return { operator, publicKey, ...genesisValidator({ operator, publicKey, tokens: STAKE, moniker: `v${index}` }) }
})
const operatorOf = (index: number): string => formatOperator(account(index % VALIDATORS))

/** The self-delegations are among the 20,000; every other one is of 1 NAT. */
const makeAppState = () => {
  const extra = DELEGATIONS - VALIDATORS
  const shares = new Map<string, bigint>()
  const delegations = Array.from({ length: extra }, (_, index) => {
    const validator = operatorOf(index)
    shares.set(validator, (shares.get(validator) ?? 0n) + POWER_REDUCTION)
    return {
      delegator_address: encodeBech32(account(VALIDATORS + index)),
      validator_address: validator,
      shares: `${POWER_REDUCTION}.${'0'.repeat(18)}`,
    }
  })
  const unbondings = Array.from({ length: UNBONDINGS }, (_, index) => ({
    delegator_address: encodeBech32(account(VALIDATORS + index)),
    validator_address: operatorOf(index),
    entries: [
      {
        creation_height: '0',
        completion_time: MATURE_AT,
        initial_balance: '1000',
        balance: '1000',
        unbonding_id: String(index + 1),
        unbonding_on_hold_ref_count: '0',
      },
    ],
  }))
  const bonded = STAKE * BigInt(VALIDATORS) + BigInt(extra) * POWER_REDUCTION
  const coins = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
  return {
    evm: { chain_id: 2517 },
    bank: {
      balances: [
        { address: bytesToHex(BONDED_POOL_ADDRESS), coins: coins(bonded) },
        { address: bytesToHex(NOT_BONDED_POOL_ADDRESS), coins: coins(1_000n * BigInt(UNBONDINGS)) },
      ],
    },
    staking: {
      params: { max_validators: VALIDATORS },
      validators: validators.map(({ validator }) => {
        const total = STAKE + (shares.get(validator.operator_address) ?? 0n)
        return { ...validator, tokens: total.toString(), delegator_shares: `${total}.${'0'.repeat(18)}` }
      }),
      delegations: [...validators.map(({ delegation }) => delegation), ...delegations],
      unbonding_delegations: unbondings,
      last_unbonding_id: String(UNBONDINGS),
    },
    powers: validators.map(({ validator, publicKey }) => ({
      publicKey,
      power: (STAKE + (shares.get(validator.operator_address) ?? 0n)) / POWER_REDUCTION,
    })),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const store = await openRocksStore({ path: folder, cacheBytes: 256 * 1024 * 1024 })
const modules = createModules(store)
const { powers, ...appState } = makeAppState()
const started = performance.now()
writeGenesisBlock({
  store,
  modules,
  genesis: parseGenesis(appState, 'localnat-1'),
  request: {
    timeNs: GENESIS_NS,
    chainId: 'localnat-1',
    consensusParameters: undefined,
    validators: powers,
    appState: new Uint8Array(0),
    initialHeight: 1,
  },
})
console.log(
  `${cpus().length} x ${cpus()[0]?.model ?? ''}; ${VALIDATORS} validators, ${DELEGATIONS} delegations: genesis in ${((performance.now() - started) / 1000).toFixed(1)} s`,
)

const lastCommit: readonly CommitVote[] = powers.map(({ publicKey, power }) => ({
  validatorAddress: consensusAddressOf(publicKey),
  power,
  flag: 'commit',
}))
const state = new LatestState(store, 200_000)
const contextOf = (overlay: Overlay, height: number, timeNs: bigint): EndBlockContext => ({
  state: overlay,
  height,
  timeNs,
  chainId: 'localnat-1',
  emit: () => undefined,
  proposerAddress: lastCommit[0]?.validatorAddress ?? new Uint8Array(20),
  lastCommit,
  misbehavior: [],
  pricedGas: 0n,
  gasLimit: 1_000_000_000n,
})
const begins = beginBlockHooks(modules)
const ends = endBlockHooks(modules)

const show = (name: string, samples: readonly number[]): void => {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2)
  console.log(`  ${name.padEnd(52)} ${at(0.5).padStart(8)} ms median, ${at(0.95).padStart(8)} ms p95`)
}

const timed = (work: () => void): number => {
  const from = performance.now()
  work()
  return performance.now() - from
}

const hooks = (feesAnat: bigint): number[] =>
  Array.from({ length: ROUNDS }, (_, round) => {
    const overlay = new Overlay(state)
    if (feesAnat > 0n) mint(overlay, FEE_COLLECTOR_ADDRESS, { denom: 'anat', amount: feesAnat })
    const context = contextOf(overlay, 10 + round, GENESIS_NS + BigInt(round) * SECOND_NS)
    return timed(() => {
      for (const hook of begins) hook.run(context)
      for (const hook of ends) hook.run(context)
    })
  })

show('hooks of an empty block', hooks(0n))
show('hooks of a block after one with fees', hooks(10n ** 15n))

const withdraw = modules
  .flatMap(({ messages }) => messages)
  .find(({ typeUrl }) => typeUrl === '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward')
invariant(withdraw !== undefined, 'rewards can be withdrawn')
const rewarded = new Overlay(state)
mint(rewarded, FEE_COLLECTOR_ADDRESS, { denom: 'anat', amount: 10n ** 20n })
for (const hook of begins) hook.run(contextOf(rewarded, 10, GENESIS_NS + SECOND_NS))
show(
  'withdrawal of one delegation (F1)',
  Array.from({ length: 500 }, (_, index) => {
    const bytes = toBinary(
      distributionTx.MsgWithdrawDelegatorRewardSchema,
      create(distributionTx.MsgWithdrawDelegatorRewardSchema, {
        delegatorAddress: encodeBech32(account(VALIDATORS + index)),
        validatorAddress: operatorOf(index),
      }),
    )
    const context = { ...contextOf(rewarded, 11, GENESIS_NS + 2n * SECOND_NS), consumeGas: () => undefined }
    return timed(() => void withdraw.execute(context, withdraw.decode(bytes)))
  }),
)

show(
  `end of a block with ${UNBONDINGS} maturing unbondings`,
  Array.from({ length: 10 }, () => {
    const context = contextOf(new Overlay(state), 20, MATURE_NS + SECOND_NS)
    return timed(() => {
      for (const hook of ends) hook.run(context)
    })
  }),
)

store.close()
await store.closed
rmSync(folder, { recursive: true, force: true })
