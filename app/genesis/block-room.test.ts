import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { GOVERNANCE_ADDRESS } from '../../modules/authority.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../modules/clob/index.ts'
import {
  DEFAULT_CONSENSUS_PARAMETERS,
  writeConsensusParameters,
  writeValidatorSets,
} from '../../modules/consensus/index.ts'
import { DEFAULT_STAKING_PARAMS } from '../../modules/staking/index.ts'
import { clobMsg, consensusTx, stakingTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { createModules } from './modules.ts'

const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
const MIB = 1_048_576
/** What a block must hold at least where 1,000 validators vote, and 1 MiB of evidence may come. */
const LEAST_OF_1000 = 3 * MIB + MIB + 731 + 3_358 * 1_000

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

/** A state of all modules, with so many validators in the set and so many bytes of a block. */
const makeWorld = (validators: number, maxBytes: number) => {
  const store = openMemoryStore()
  const modules = createModules(store)
  const state = new Overlay(new LatestState(store, 100))
  const parameters = {
    ...DEFAULT_CONSENSUS_PARAMETERS,
    evidence: { ...DEFAULT_CONSENSUS_PARAMETERS.evidence, maxBytes: MIB },
  }
  writeConsensusParameters(state, { ...parameters, block: { ...parameters.block, maxBytes } })
  const keys = Array.from({ length: validators }, (_, index) => {
    const publicKey = new Uint8Array(32)
    publicKey.set([index >> 8, index & 0xff])
    return { publicKey, power: 1n }
  })
  writeValidatorSets(state, [{ fromHeight: 1, validators: keys }])
  const context = { state, height: 0, timeNs: 0n, chainId: 'x', emit: () => undefined, consumeGas: () => undefined }
  const init = (name: string) => modules.find((module) => module.name === name)?.initGenesis(context, undefined)
  for (const name of ['staking', 'clob']) init(name)
  const send = (typeUrl: string, bytes: Uint8Array): string =>
    refusal(() => {
      const handler = modules.flatMap(({ messages }) => messages).find((each) => each.typeUrl === typeUrl)
      if (handler === undefined) throw new RangeError(typeUrl)
      handler.execute(context, handler.prepare(handler.decode(bytes)))
    })
  return {
    initConsensus: () => refusal(() => init('consensus')),
    updateClob: () => {
      const message = create(clobMsg.MsgUpdateParamsSchema, { authority: AUTHORITY, params: DEFAULT_CLOB_PARAMETERS })
      return send('/nat.clob.v1.MsgUpdateParams', toBinary(clobMsg.MsgUpdateParamsSchema, message))
    },
    updateStaking: (maxValidators: number) => {
      const { bondDenomination, maxEntries, historicalEntries } = DEFAULT_STAKING_PARAMS
      const params = {
        ...{ maxValidators, maxEntries, historicalEntries, bondDenom: bondDenomination, minCommissionRate: '0' },
        unbondingTime: { seconds: 1_814_400n },
      }
      const message = create(stakingTx.MsgUpdateParamsSchema, { authority: AUTHORITY, params })
      return send('/cosmos.staking.v1beta1.MsgUpdateParams', toBinary(stakingTx.MsgUpdateParamsSchema, message))
    },
    updateConsensus: (bytes: number) => {
      const message = create(consensusTx.MsgUpdateParamsSchema, {
        authority: AUTHORITY,
        block: { maxBytes: BigInt(bytes), maxGas: 30_000_000n },
        evidence: { maxAgeNumBlocks: 100n, maxAgeDuration: { seconds: 1_000n }, maxBytes: BigInt(MIB) },
        validator: { pubKeyTypes: ['ed25519'] },
      })
      return send('/cosmos.consensus.v1.MsgUpdateParams', toBinary(consensusTx.MsgUpdateParamsSchema, message))
    },
  }
}

describe('room in a block for votes, evidence and 3 MiB', () => {
  it('is what governance cannot give away, whichever message it takes', () => {
    const world = makeWorld(1_000, LEAST_OF_1000)
    expect(world.initConsensus()).toBe('accepted')
    expect(world.updateClob()).toBe('accepted')
    expect(world.updateStaking(1_000)).toBe('accepted')
    expect(world.updateConsensus(LEAST_OF_1000)).toBe('accepted')
    expect(world.updateConsensus(LEAST_OF_1000 - 1)).toContain(
      `consensus/1 block.max_bytes must be at least ${LEAST_OF_1000}`,
    )
  })

  it('is wanted for the sets that are there, also beyond max_validators', () => {
    const world = makeWorld(1_000, LEAST_OF_1000 - 1)
    expect(world.initConsensus()).toContain(`consensus/1 block.max_bytes must be at least ${LEAST_OF_1000}`)
    expect(world.updateClob()).toContain(`clob/27 block.max_bytes must be at least ${LEAST_OF_1000}`)
  })

  it('is wanted for the validators that may come', () => {
    const world = makeWorld(4, LEAST_OF_1000 - 1)
    expect(world.initConsensus()).toBe('accepted')
    expect(world.updateClob()).toBe('accepted')
    expect(world.updateStaking(1_000)).toContain(`block.max_bytes must be at least ${LEAST_OF_1000}`)
    expect(world.updateStaking(999)).toBe('accepted')
    expect(world.updateConsensus(LEAST_OF_1000 - 3_358 - 1)).toContain('consensus/1 block.max_bytes must be at least')
  })
})
