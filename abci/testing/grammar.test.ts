import { describe, expect, it } from 'vitest'
import { formatCall, parseCall, recordCalls, type RecordedCall, type RecordedMethod } from '../call-log.ts'
import { checkCallSequence } from './grammar.ts'
import { createHandlers } from '../handlers.ts'
import { createMemoryApplication } from './memory-application.ts'
import { create } from '@bufbuild/protobuf'
import { abci } from '../../proto/index.ts'
import { createRandom } from './random.ts'

const METHODS: Readonly<Record<string, RecordedMethod>> = {
  info: 'info',
  init: 'initChain',
  offer: 'offerSnapshot',
  chunk: 'applySnapshotChunk',
  prepare: 'prepareProposal',
  process: 'processProposal',
  extend: 'extendVote',
  verify: 'verifyVoteExtension',
  finalize: 'finalizeBlock',
  commit: 'commit',
}

/** `finalize@3 commit`: short names of calls, with their heights. */
const calls = (text: string): RecordedCall[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [name = '', height] = word.split('@')
      const method = METHODS[name]
      if (method === undefined) throw new TypeError(`no call is named ${name}`)
      return { method, result: '', ...(height !== undefined && { height: Number(height) }) }
    })

const clean = 'info@0 init@1 prepare@1 process@1 extend@1 verify@1 finalize@1 commit process@2 finalize@2 commit'

describe('valid sequences', () => {
  it.each([
    ['nothing', 'info@0'],
    ['a clean start', clean],
    ['another initial height', 'info@0 init@100 process@100 finalize@100 commit finalize@101 commit'],
    ['replay without rounds', 'info@0 init@1 finalize@1 commit finalize@2 commit finalize@3 commit'],
    ['recovery', 'info@7 process@8 finalize@8 commit'],
    ['several rounds', 'info@3 prepare@4 verify@4 process@4 extend@4 process@4 prepare@4 process@4 finalize@4 commit'],
    ['votes before the proposal', 'info@3 verify@4 verify@4 process@4 verify@4 extend@4 verify@4 finalize@4 commit'],
    ['questions of the RPC', 'info@0 init@1 info@0 finalize@1 info@0 commit info@1 process@2 info@1 finalize@2'],
    ['a crash before Commit', 'info@4 process@5 finalize@5 info@4 finalize@5 commit process@6'],
    ['a crash after Commit', 'info@4 finalize@5 info@5 process@6 finalize@6 commit'],
    ['a crash within a round', 'info@4 prepare@5 process@5 info@4 prepare@5 process@5 finalize@5 commit'],
    ['an application that forgot everything', 'info@0 init@1 finalize@1 commit info@0 init@1 finalize@1 commit'],
    ['InitChain again', 'info@0 init@1 process@1 info@0 init@1 process@1 finalize@1 commit'],
    ['a state sync', 'offer@10 offer@20 chunk offer@20 chunk chunk info@20 process@21 finalize@21 commit'],
  ])('%s', (_, text) => {
    expect(checkCallSequence(calls(text))).toBeUndefined()
  })
})

describe('sequences that must fail', () => {
  it.each([
    [
      'no handshake',
      'process@1 finalize@1 commit',
      'call 0: processProposal of height 1 is not allowed before the handshake',
    ],
    ['InitChain without Info', 'init@1', 'call 0: initChain of height 1 is not allowed before the handshake'],
    [
      'no InitChain at height 0',
      'info@0 finalize@1',
      'call 1: finalizeBlock of height 1 is not allowed before InitChain',
    ],
    ['InitChain of a chain that runs', 'info@5 init@1', 'call 1: initChain of height 1 is not allowed in height 6'],
    ['InitChain twice', 'info@0 init@1 init@1', 'call 2: initChain of height 1 is not allowed in height 1'],
    ['a skipped height', 'info@5 finalize@7', 'call 1: finalizeBlock of height 7 is not allowed in height 6'],
    [
      'a repeated height',
      'info@5 finalize@6 commit finalize@6',
      'call 3: finalizeBlock of height 6 is not allowed in height 7',
    ],
    [
      'FinalizeBlock twice',
      'info@5 finalize@6 finalize@6',
      'call 2: finalizeBlock of height 6 is not allowed before the Commit of height 6',
    ],
    [
      'no Commit',
      'info@5 finalize@6 process@7',
      'call 2: processProposal of height 7 is not allowed before the Commit of height 6',
    ],
    ['Commit of nothing', 'info@5 commit', 'call 1: commit is not allowed in height 6'],
    ['Commit twice', 'info@5 finalize@6 commit commit', 'call 3: commit is not allowed in height 7'],
    [
      'a proposal of another height',
      'info@5 prepare@5',
      'call 1: prepareProposal of height 5 is not allowed in height 6',
    ],
    [
      'a vote of another height',
      'info@5 verify@7',
      'call 1: verifyVoteExtension of height 7 is not allowed in height 6',
    ],
    ['a chunk that nobody offered', 'info@5 chunk', 'call 1: applySnapshotChunk is not allowed in height 6'],
    [
      'consensus within a state sync',
      'offer@9 chunk process@10',
      'call 2: processProposal of height 10 is not allowed during a state sync',
    ],
    ['a state sync without chunks', 'offer@9 info@9', 'call 1: info of height 9 is not allowed during a state sync'],
    [
      'a snapshot after blocks',
      'info@5 finalize@6 offer@9',
      'call 2: offerSnapshot of height 9 is not allowed before the Commit of height 6',
    ],
  ])('%s', (_, text, message) => {
    expect(checkCallSequence(calls(text))).toBe(message)
  })

  it('are found wherever a call of the block is dropped, doubled or swapped', () => {
    const valid = calls(
      `info@0 init@1 ${[1, 2, 3, 4, 5, 6].map((h) => `process@${h} extend@${h} finalize@${h} commit`).join(' ')} process@7`,
    )
    expect(checkCallSequence(valid)).toBeUndefined()
    const random = createRandom(4)
    const isDecisive = ({ method }: RecordedCall): boolean => method === 'finalizeBlock' || method === 'commit'
    for (let run = 0; run < 200; run++) {
      const at = random.next(valid.length - 1)
      const call = valid[at]
      const after = valid[at + 1]
      if (call === undefined || after === undefined || !isDecisive(call)) continue
      const dropped = valid.toSpliced(at, 1)
      const doubled = valid.toSpliced(at, 0, call)
      const swapped = valid.toSpliced(at, 2, after, call)
      for (const mutated of [dropped, doubled, swapped]) {
        expect(checkCallSequence(mutated), `seed 4, run ${run}, call ${at}`).toMatch(/is not allowed/)
      }
    }
  })
})

describe('the call log', () => {
  it('tells of each consensus call with its height, hash and result, and of no other', async () => {
    const log: RecordedCall[] = []
    const handlers = recordCalls(createHandlers(createMemoryApplication()), (call) => log.push(call))
    const hash = new Uint8Array(32).fill(0xab)
    const block = { hash, nextValidatorsHash: hash, proposerAddress: new Uint8Array(20), time: { seconds: 1n } }
    await handlers.info(create(abci.RequestInfoSchema))
    const initChain = { chainId: 'nat-1', initialHeight: 1n, time: { seconds: 1n } }
    await handlers.initChain(create(abci.RequestInitChainSchema, initChain))
    await handlers.checkTx(create(abci.RequestCheckTxSchema))
    await handlers.processProposal(
      create(abci.RequestProcessProposalSchema, { ...block, height: 1n, proposedLastCommit: {} }),
    )
    await handlers.finalizeBlock(
      create(abci.RequestFinalizeBlockSchema, { ...block, height: 1n, decidedLastCommit: {} }),
    )
    await handlers.commit(create(abci.RequestCommitSchema))
    const hex = 'ab'.repeat(32)
    const appHash = '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b'
    expect(log).toEqual([
      { method: 'info', height: 0, result: 'app hash ' },
      { method: 'initChain', height: 1, result: 'nat-1, app hash ' },
      { method: 'processProposal', height: 1, hash: hex, result: 'accept, 0 txs' },
      { method: 'finalizeBlock', height: 1, hash: hex, result: `0 txs, app hash ${appHash}` },
      { method: 'commit', result: 'retain 0' },
    ])
    expect(checkCallSequence(log)).toBeUndefined()
    expect(log.map(formatCall).map(parseCall)).toEqual(log)
  })
})
