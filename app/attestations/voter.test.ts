/** What a node says with its votes, and what modules hear of it. */
import { describe, expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { Attestations } from '../../modules/attestations.ts'
import { decodeAttestations, encodeAttestations } from '../../modules/clob/plan/index.ts'
import { readConsensusParameters } from '../../modules/consensus/index.ts'
import type { Module } from '../../modules/module.ts'
import { blockOf, GENESIS_TIME_NS, openLone } from '../../test/hostile/lone-application.ts'
import { makeValidator } from '../../test/sim/validators.ts'
import { BlockRun, decodeAnew } from '../block/run.ts'
import type { Chain } from '../block/chain.ts'
import type { VoteAnswer } from '../environment.ts'
import type { ExtendedVote } from '../ports.ts'
import { chainOf } from '../../query/pending.ts'
import { decodeExtension, EMPTY_EXTENSION, encodeExtension } from './envelope.ts'
import { encodeInjected } from './injected.ts'
import { type ExtensionSection, Voter } from './voter.ts'

const saying = (dtMs: number): Uint8Array => encodeAttestations([{ phase: 0, id: 'twelve bytes', dtMs }])

/** Says something else each time that it is asked. */
const fickle = (): ExtensionSection & { asked: number } => {
  const section = {
    name: 'fickle',
    asked: 0,
    attest: () => ({ attestations: saying(++section.asked) }),
  }
  return section
}

/** A disk: what is kept stays when the node is gone. */
const openDisk = () => {
  const kept: VoteAnswer[] = []
  return { kept, load: () => [...kept], keep: (answer: VoteAnswer) => void kept.push(answer) }
}

const said = (extension: Uint8Array): string => {
  const [attestation] = decodeAttestations(decodeExtension(extension)?.attestations ?? EMPTY_BYTES) ?? []
  return `answer ${attestation?.dtMs}`
}

describe('the vote for a block', () => {
  it('says the same each time, for a block that was never processed here, in later rounds, and after a crash', async () => {
    const disk = openDisk()
    const section = fickle()
    const { application } = await openLone({ sections: [section], environment: { voteAnswers: disk } })
    const block = { ...blockOf(1, []), transactions: [Uint8Array.of(1, 2, 3)] }
    expect(said(application.extendVote(block))).toBe('answer 1')
    expect(said(application.extendVote(block))).toBe('answer 1')
    const other = { ...block, hash: new Uint8Array(32).fill(0xee) }
    expect(said(application.extendVote(other))).toBe('answer 2')
    const restarted = await openLone({ sections: [section], environment: { voteAnswers: disk } })
    expect(said(restarted.application.extendVote(other))).toBe('answer 2')
    expect(said(restarted.application.extendVote(block))).toBe('answer 1')
    expect(disk.kept.map(({ height }) => height)).toEqual([1, 1])
    await restarted.application.finalizeBlock(blockOf(1, []))
    await restarted.application.commit()
    expect(said(restarted.application.extendVote(block))).toBe('answer 1')
    expect(said(restarted.application.extendVote(blockOf(2, [])))).toBe('answer 3')
    expect(restarted.application.extendVote(blockOf(9, []))).toEqual(EMPTY_BYTES)
  })

  it('is not given where it cannot be kept', async () => {
    const voteAnswers = {
      load: () => [],
      keep: () => {
        throw new TypeError('no space left on device')
      },
    }
    const { application } = await openLone({ sections: [fickle()], environment: { voteAnswers } })
    expect(() => application.extendVote(blockOf(1, []))).toThrow('no space left on device')
  })

  it('is kept where there is nothing to say, too: nothing else is said of the block later', async () => {
    const disk = openDisk()
    const { application } = await openLone({ environment: { voteAnswers: disk } })
    expect(application.extendVote(blockOf(1, []))).toEqual(EMPTY_BYTES)
    expect(disk.kept).toMatchObject([{ height: 1, extension: EMPTY_BYTES }])
  })

  it('never passes the cap: the parts that fit are said', () => {
    const long: ExtensionSection = { name: 'long', attest: () => ({ bodies: [new Uint8Array(100)] }) }
    const short: ExtensionSection = { name: 'short', attest: () => ({ attestations: saying(1) }) }
    const voter = new Voter([long, short], openDisk())
    const extension = voter.extend(blockOf(1, []), {} as Chain, 60)
    expect(decodeExtension(extension)).toMatchObject({ bodies: [], attestations: saying(1) })
  })

  it('never says what others would take for nothing: the parts that they read are said', () => {
    const wrong: ExtensionSection = { name: 'wrong', attest: () => ({ attestations: Uint8Array.of(0, 0, 0) }) }
    const right: ExtensionSection = { name: 'right', attest: () => ({ bodies: [new Uint8Array(100)] }) }
    const extension = new Voter([wrong, right], openDisk()).extend(blockOf(1, []), {} as Chain, 1_000)
    expect(decodeExtension(extension)).toMatchObject({ bodies: [new Uint8Array(100)], attestations: EMPTY_BYTES })
  })
})

describe('the modules', () => {
  it('hear what the votes say before the block begins: once, verified, and only what is canonical', async () => {
    const validators = ['one', 'two', 'three', 'four'].map((name) => makeValidator(name, 10n))
    const consensusParameters = {
      block: { maxBytes: 8_000_000, maxGas: 1_000_000_000 },
      evidence: { maxAgeNumBlocks: 1, maxAgeDurationNs: 1n, maxBytes: 1 },
      validator: { pubKeyTypes: ['ed25519'] },
      version: { app: 1 },
      abci: { voteExtensionsEnableHeight: 1 },
    }
    const updates = validators.map(({ publicKey, power }) => ({ publicKey, power }))
    const { application, viewAt } = await openLone({ genesis: { consensusParameters, validators: updates } })
    await application.finalizeBlock(blockOf(1, []))
    await application.commit()

    const said = encodeExtension({ ...EMPTY_EXTENSION, attestations: saying(7) })
    const extensions = [said, Uint8Array.of(1, 2), EMPTY_BYTES, said]
    const votes = validators.map(({ address, power, ...each }, index): ExtendedVote => {
      const extension = extensions[index] ?? EMPTY_BYTES
      const signed = { extension, height: 1, round: 0, chainId: 'localnat-1' }
      const vote = { validatorAddress: address, power, flag: 'commit', extension } as const
      return { ...vote, extensionSignature: index === 3 ? new Uint8Array(64) : each.sign(signed) }
    })
    const heard: (Attestations | string)[] = []
    const view = viewAt(1)
    const modules = view.modules.map(
      (module): Module =>
        module.name === 'mint'
          ? {
              ...module,
              hooks: {
                attested: (_, attestations) => void heard.push(attestations),
                beginBlock: { phase: 'issue', run: () => void heard.push('the block begins') },
              },
            }
          : module,
    )
    const chain: Chain = { ...chainOf(view, 1), modules }
    expect(readConsensusParameters(chain.state).abci.voteExtensionsEnableHeight).toBe(1)
    const context = { chainId: 'localnat-1', height: 2, lastCommitRound: 0, validators: updates, capBytes: 2_048 }
    const injected = encodeInjected(votes, { ...context, verify: chain.verifyExtension, maxTxBytes: 1_000_000 })
    const raw = injected?.raw ?? EMPTY_BYTES
    const content = { ...blockOf(2, []), timeNs: GENESIS_TIME_NS + 2_000_000_000n, lastCommit: votes }
    const run = new BlockRun(chain, content, decodeAnew(chain))
    await run.begin([raw])
    const outcome = await run.apply(raw)
    expect(heard).toEqual([
      {
        height: 1,
        totalPower: 40n,
        votes: [
          { isSigned: true, extension: decodeExtension(said) },
          { isSigned: true, extension: undefined },
          { isSigned: true, extension: undefined },
          { isSigned: false, extension: undefined },
        ].map((vote, index) => ({ ...vote, validatorAddress: validators[index]?.address, power: 10n, flag: 'commit' })),
      },
      'the block begins',
    ])
    expect(outcome).toMatchObject({ kind: 'applied', attestations: heard[0] })
  })
})
