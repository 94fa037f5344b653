/** The bridge over an empty state with a real ledger, driven by what the votes of each block say. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { moduleAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { type BridgeContract, type BridgeEvent, bridgeEventHash } from '../../../core/bridge-event.ts'
import { bytesToKey, EMPTY_BYTES, equalBytes } from '../../../core/bytes.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { bridgeTx } from '../../../proto/index.ts'
import type { Overlay } from '../../../store/overlay.ts'
import type { AttestedVote, BridgeAttestation, BridgeSignature, VoteExtension } from '../../attestations.ts'
import { createLedger } from '../../bank/index.ts'
import type { CommitVote, Event } from '../../module.ts'
import type { ValidatorView } from '../../stake.ts'
import { exportGenesis, initState, makeBlock, runMessage } from '../../slashing/testing/world.ts'
import { bridgeModule } from '../module.ts'

export const CONTRACT: BridgeContract = { chainId: 31_337n, address: new Uint8Array(20).fill(0xc0) }
export const DENOM = 'bridge/token'
export const GOVERNANCE = encodeBech32(moduleAddress('gov'))
/** An address that is blocked because it is a module's account. */
export const BLOCKED = moduleAddress('bridge')
export const ACCOUNT = new Uint8Array(20).fill(0xaa)

export interface Member {
  readonly address: Uint8Array
  readonly power: bigint
}

export const memberOf = (index: number, power = 10n): Member => ({ address: new Uint8Array(20).fill(index + 1), power })
export const members = (...powers: readonly bigint[]): readonly Member[] =>
  powers.map((power, index) => memberOf(index, power))

export const depositOf = (id: number, changes: Partial<BridgeEvent> = {}): BridgeEvent => ({
  id,
  amount: 1_000n + BigInt(id),
  from: new Uint8Array(20).fill(9),
  recipient: ACCOUNT,
  dataHash: new Uint8Array(32).fill(id & 0xff),
  externalHeight: 100n + BigInt(id),
  ...changes,
})

export const hashOf = (event: BridgeEvent, contract = CONTRACT): Uint8Array => bridgeEventHash(contract, event)
export const attest = (...events: readonly BridgeEvent[]): readonly BridgeAttestation[] =>
  events.map((event) => ({ id: event.id, hash: hashOf(event) }))

export interface Said {
  readonly bridge?: readonly BridgeAttestation[]
  readonly bridgeContents?: readonly BridgeEvent[]
  readonly bridgeSignatures?: readonly BridgeSignature[]
}

export const PARAMS = {
  chainId: CONTRACT.chainId,
  contract: bytesToHex(CONTRACT.address) as string,
  denom: DENOM,
  delayBlocks: 2n,
  delaySeconds: 0n,
  paused: false,
  maxCreditsPerBlock: 10,
  mintLimit: (1n << 128n).toString(),
  withdrawLimit: '0',
  maxWithdrawalsPerBlock: 10,
  setIntervalBlocks: 14_400n,
  minWithdrawal: '1',
}

export const GENESIS = {
  params: {
    chain_id: CONTRACT.chainId.toString(),
    contract: PARAMS.contract,
    denom: DENOM,
    delay_blocks: 2,
    delay_seconds: 0,
    mint_limit: PARAMS.mintLimit,
  },
}

const viewOf = (set: readonly Member[], operator: Uint8Array): ValidatorView | undefined => {
  const member = set.find(({ address }) => equalBytes(address, operator))
  if (member === undefined) return undefined
  return {
    operator,
    consensusAddress: member.address,
    publicKey: new Uint8Array(32),
    status: 'bonded',
    isJailed: false,
    tokens: member.power,
    shares: 0n,
    commissionRate: 0n,
    minSelfDelegation: 0n,
  }
}

export class World {
  readonly ledger = createLedger({ isBlockedReceiver: (address) => bytesToKey(address) === bytesToKey(BLOCKED) })
  readonly module
  readonly state: Overlay
  set: readonly Member[]
  height: number

  constructor(set: readonly Member[], genesis: unknown = GENESIS, height = 0) {
    this.set = set
    this.height = height
    this.module = bridgeModule.create({
      ledger: this.ledger,
      votingPowers: () => this.set,
      // Each member is operated by the account of its own address.
      stake: { validator: (_, operator) => viewOf(this.set, operator) },
    })
    this.state = initState(this.module, genesis, height)
  }

  /** The begin of a block with what members say, by their place; undefined for a vote without an extension. */
  block(said: readonly (Said | undefined)[] = []): readonly Event[] {
    this.height++
    const commit = this.set.map(
      ({ address, power }): CommitVote => ({ validatorAddress: address, power, flag: 'commit' }),
    )
    const votes = commit.map((vote, index): AttestedVote => {
      const { bridge = [], bridgeContents = [], bridgeSignatures = [] } = said[index] ?? {}
      const extension: VoteExtension = {
        attestations: EMPTY_BYTES,
        bodies: [],
        bridge,
        bridgeContents,
        bridgeSignatures,
      }
      return { ...vote, isSigned: true, extension: said[index] === undefined ? undefined : extension }
    })
    const [context, events] = makeBlock(this.state, this.height, { lastCommit: commit })
    const totalPower = this.set.reduce((sum, { power }) => sum + power, 0n)
    this.module.hooks?.attested?.(context, { height: this.height - 1, votes, totalPower })
    this.module.hooks?.beginBlock?.run(context)
    this.module.hooks?.endBlock?.run({ ...context, gasLimit: 0n, pricedGas: 0n })
    this.check()
    return events
  }

  blocks(count: number): readonly Event[] {
    return Array.from({ length: count }, () => this.block()).flat()
  }

  /** All say the same of true events, and then tell what they are. */
  accept(...events: readonly BridgeEvent[]): void {
    this.block(this.set.map(() => ({ bridge: attest(...events) })))
    this.block(this.set.map(() => ({ bridgeContents: events })))
  }

  balance(address: Uint8Array = ACCOUNT, denom = DENOM): bigint {
    return this.ledger.balance(this.state, address, denom)
  }

  updateParams(changes: Partial<typeof PARAMS>): readonly Event[] {
    const message: MessageInitShape<typeof bridgeTx.MsgUpdateParamsSchema> = {
      authority: GOVERNANCE,
      params: { ...PARAMS, ...changes },
    }
    return runMessage(this.module, this.state, this.height, bridgeTx.MsgUpdateParamsSchema, message)
  }

  export(): unknown {
    return exportGenesis(this.module, this.state, this.height)
  }

  /** Every invariant holds. */
  check(): void {
    for (const { name, check } of this.module.invariants) {
      const fault = check({ state: this.state, height: this.height, chainId: 'test-1' })
      if (fault !== undefined) throw new TypeError(`${name}: ${fault}`)
    }
  }
}
