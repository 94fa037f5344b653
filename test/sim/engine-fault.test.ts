/** A fault of the engine in one transaction must not stop the proposer. */
import { expect, it } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { QueriedApplication } from '../../query/queried-application.ts'
import { APPLICATION_DEFAULTS } from '../../app/settings.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import { testConsensusKey } from '../../core/testing/consensus-key.ts'
import type { Engine } from '../../evm/engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { withStake } from './stake-genesis.ts'

const VALIDATORS = [{ publicKey: testConsensusKey('lone'), power: 1n }]

const accounts = [1, 2].map((digit) => privateKeyToAccount(`0x${String(digit).repeat(64)}`))
const FAULTY_VALUE = 666n

it('leaves out a transaction that the engine cannot execute, and proposes the others', async () => {
  const real = await createInterpreterEngine()
  const engine: Engine = {
    execute: (state, block, message, options) => {
      if (message.value !== FAULTY_VALUE) return real.execute(state, block, message, options)
      // Leaves the state half changed, as a fault would.
      state.setAccount(message.sender, undefined)
      throw new TypeError('a fault of the engine')
    },
    systemCall: (...call) => real.systemCall(...call),
    callContract: (...call) => real.callContract(...call),
  }
  const errors: string[] = []
  const silent = (): undefined => undefined
  const application = new QueriedApplication({
    store: openMemoryStore(),
    engine,
    settings: APPLICATION_DEFAULTS,
    version: 'test',
    environment: {
      clock: { nowMs: () => 0, wallMs: () => 0 },
      yieldToEventLoop: () => Promise.resolve(),
      journal: { load: () => [], append: silent, rewrite: silent },
      gossip: { offer: silent },
      heavy: { run: () => Promise.resolve('null') },
      consensusStatus: () => ({ catchingUp: false, peers: 0, highestHeight: 0 }),
      consensusRpc: () => Promise.resolve({}),
      log: { info: silent, warn: silent, error: (message) => void errors.push(message) },
      announceHeight: silent,
      reached: silent,
      randomId: () => '0x01',
    },
  })
  const balances = accounts.map(({ address }) => ({
    address,
    coins: [{ denom: 'anat', amount: (10n ** 18n).toString() }],
  }))
  await application.initChain({
    timeNs: 1_700_000_000_000_000_000n,
    chainId: 'localnat-1',
    consensusParameters: undefined,
    validators: VALIDATORS,
    appState: utf8ToBytes(JSON.stringify(withStake({ evm: { chain_id: '2517' }, bank: { balances } }, VALIDATORS))),
    initialHeight: 1,
  })
  const sign = async (index: number, value: bigint): Promise<string> =>
    (await accounts[index]?.signTransaction({
      type: 'eip1559',
      chainId: 2517,
      nonce: 0,
      gas: 21_000n,
      to: '0x00000000000000000000000000000000000000aa',
      value,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })) ?? ''
  const good = hexToBytes(await sign(1, 5n))
  expect(application.checkTx(hexToBytes(await sign(0, FAULTY_VALUE)), false).code).toBe(0)
  expect(application.checkTx(good, false).code).toBe(0)

  const proposed = await application.prepareProposal({
    height: 1,
    timeNs: 1_700_000_001_000_000_000n,
    proposerAddress: new Uint8Array(20),
    nextValidatorsHash: new Uint8Array(32),
    lastCommitRound: 0,
    votes: [],
    misbehavior: [],
    transactions: [],
    maxTxBytes: 1_000_000,
  })

  expect(proposed).toEqual([good])
  expect(errors).toEqual(['executing a transaction failed: a fault of the engine'])
})
