/** One application in memory whose world a test can make fail. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { QueriedApplication } from '../../query/queried-application.ts'
import type { Environment } from '../../app/environment.ts'
import type { ExtensionSection } from '../../app/attestations/voter.ts'
import { createFamilies } from '../../app/families/index.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../app/index/chain-reader.ts'
import { type InitChainRequest, isEncoded, type ProposedBlock, type QuestionName } from '../../app/ports.ts'
import { answer } from '../../query/answer.ts'
import { decodeParameters } from '../../query/encoded-parameters.ts'
import type { ChainView } from '../../query/chain-view.ts'
import { APPLICATION_DEFAULTS, type ApplicationSettings } from '../../app/settings.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { testConsensusKey } from '../../core/testing/consensus-key.ts'
import type { Engine } from '../../evm/engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { OpenHeights } from '../../store/open-heights.ts'
import { makeAccount } from '../sim/accounts.ts'
import { withStake } from '../sim/stake-genesis.ts'

export const VALIDATORS = [{ publicKey: testConsensusKey('lone'), power: 1n }]

export const GENESIS_TIME_NS = 1_700_000_000_000_000_000n
const FUNDS_ANAT = 10n ** 24n

export interface LoneOptions {
  readonly engine?: (real: Engine) => Engine
  readonly environment?: Partial<Environment>
  readonly settings?: Partial<ApplicationSettings>
  readonly sections?: readonly ExtensionSection[]
  readonly genesis?: Partial<InitChainRequest>
  /** All questions that go to workers are answered; otherwise the native ones. */
  readonly workers?: boolean
}

export interface Lone {
  readonly application: QueriedApplication
  /** The chain as workers see it. */
  viewAt(head: number): ChainView
  readonly accounts: readonly PrivateKeyAccount[]
  /** Errors and warnings for the operator. */
  readonly complaints: string[]
  /** Questions that went to workers. */
  readonly handedOver: QuestionName[]
}

export const blockOf = (height: number, transactions: readonly Uint8Array[]): ProposedBlock => ({
  height,
  timeNs: GENESIS_TIME_NS + BigInt(height) * 1_000_000_000n,
  proposerAddress: new Uint8Array(20),
  nextValidatorsHash: new Uint8Array(32),
  lastCommitRound: 0,
  lastCommit: [],
  misbehavior: [],
  transactions,
  hash: new Uint8Array(32).fill(height),
})

/** Opens an application after InitChain. Vote extensions are off, so that a block is its transactions. */
export const openLone = async (options: LoneOptions = {}): Promise<Lone> => {
  const silent = (): undefined => undefined
  const complaints: string[] = []
  const handedOver: QuestionName[] = []
  let filters = 0
  const complain = (message: string): void => void complaints.push(message)
  const real = await createInterpreterEngine()
  const accounts = [1, 2, 3].map((digit) => makeAccount(`0x${String(digit).repeat(64)}`))
  const store = openMemoryStore()
  const [reader, modules] = [new ChainReader(store), createModules(store)]
  /** The chain as workers see it. */
  const viewAt = (head: number): ChainView => {
    const parameters = readChainParameters(store)
    invariant(parameters !== undefined, 'the chain has begun')
    const heights = new OpenHeights(store, () => head, 1)
    const settings = { ...APPLICATION_DEFAULTS, ...options.settings }
    const stateAt = (height: number) => heights.stateAt(height)
    const trieNodesAt = (height: number) => heights.trieNodesAt(height)
    const clock = { nowMs: () => 0 }
    const chain = { reader, modules, families: createFamilies(modules), parameters }
    return { ...chain, settings, engine: real, clock, head, stateAt, trieNodesAt, pending: [], interrupt: silent }
  }
  const application = new QueriedApplication({
    store,
    engine: options.engine?.(real) ?? real,
    settings: { ...APPLICATION_DEFAULTS, ...options.settings },
    version: 'test',
    sections: options.sections ?? [],
    environment: {
      clock: { nowMs: () => 0, wallMs: () => 0 },
      yieldToEventLoop: () => Promise.resolve(),
      journal: { load: () => [], append: silent, rewrite: silent },
      gossip: { offer: silent },
      heavy: {
        run: async (name, parameters, head, pending) => {
          handedOver.push(name)
          const isAnswered = name === 'native' || options.workers === true
          if (!isAnswered) return 'null'
          const asked = isEncoded(parameters) ? decodeParameters<typeof name>(parameters) : parameters
          return answer({ ...viewAt(head), pending }, name, asked)
        },
      },
      consensusStatus: () => ({ catchingUp: false, peers: 0, highestHeight: 0 }),
      consensusRpc: () => Promise.resolve({}),
      log: { info: silent, warn: complain, error: complain },
      announceHeight: silent,
      reached: silent,
      randomId: () => `0x${(++filters).toString(16)}`,
      ...options.environment,
    },
  })
  const balances = accounts.map(({ address }) => ({
    address,
    coins: [{ denom: 'anat', amount: FUNDS_ANAT.toString() }],
  }))
  const validators = options.genesis?.validators ?? VALIDATORS
  await application.initChain({
    timeNs: GENESIS_TIME_NS,
    chainId: 'localnat-1',
    consensusParameters: {
      block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
      evidence: { maxAgeNumBlocks: 1, maxAgeDurationNs: 1n, maxBytes: 1 },
      validator: { pubKeyTypes: ['ed25519'] },
      version: { app: 1 },
      abci: { voteExtensionsEnableHeight: 0 },
    },
    validators,
    appState: utf8ToBytes(JSON.stringify(withStake({ evm: { chain_id: '2517' }, bank: { balances } }, validators))),
    initialHeight: 1,
    ...options.genesis,
  })
  return { application, viewAt, accounts, complaints, handedOver }
}
