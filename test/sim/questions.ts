/** Questions at random heights while blocks are made: answers may not differ, and may not change what a block does. */
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { expect } from 'vitest'
import { fromRlp } from 'viem'
import { type Hex, hexToBigint, hexToBytes } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import type { QuestionName, Questions } from '../../app/ports.ts'
import { words } from './programs.ts'
import type { SimNode } from './sim-node.ts'
import { shownBlock, type World } from './world.ts'

interface Question<Name extends QuestionName = QuestionName> {
  readonly name: Name
  readonly parameters: Questions[Name]
}

const question = <Name extends QuestionName>(name: Name, parameters: Questions[Name]): Question =>
  ({ name, parameters }) as Question

/** One that the main thread answers, or one for the worker threads. */
const makeQuestion = ({ driver, accounts, traffic }: World, heavy: boolean): Question => {
  const { random } = driver
  const genesis = (driver.setup.initialHeight ?? 1) - 1
  const height = genesis + random.below(driver.height - genesis + 1)
  const block = { number: height }
  const contract = traffic.deployedAddress
  const address = random.chance(60) ? contract : random.pick(accounts).address
  if (!heavy) {
    const slot = words(BigInt(random.pick([0, 1, 2, 3, 255])))
    return random.pick([
      question('balance', { address, block }),
      question('transactionCount', { address, block }),
      question('storage', { address: contract, slot, block }),
      question('code', { address: contract, block }),
      question('blockReceipts', { block }),
    ])
  }
  const call = { from: random.pick(accounts).address, to: contract, data: words(BigInt(random.below(8)), 1n) }
  return random.pick([
    question('call', { call, block }),
    question('estimateGas', { call, block }),
    question('logs', { fromBlock: { number: genesis }, toBlock: block, addresses: [], topics: [] }),
    question('proof', { address, slots: [{ slot: words(0n), shown: '0x0' }], block }),
  ])
}

/** What says nothing of the state: a node was started again meanwhile, or a slow machine had no time for the question. */
const NO_ANSWERS: readonly unknown[] = [
  'CodedError: the node is stopping',
  'CodedError: the node is busy: the question waited too long; try again',
]

/** The answer, or how it failed. */
const settle = async (asked: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await asked()
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
}

interface AccountProof {
  readonly address: Hex
  readonly accountProof: readonly Hex[]
  readonly nonce: Hex
  readonly balance: Hex
  readonly storageHash: Hex
  readonly codeHash: Hex
}

/** Checks by libraries that are not ours. */
const checkProof = async (node: SimNode, proof: AccountProof, number: number): Promise<void> => {
  const { stateRoot = '0x' } = await shownBlock(node, { number })
  const nodes = proof.accountProof.map(hexToBytes)
  const leaf = await verifyMerkleProof(keccak256(hexToBytes(proof.address)), nodes, { root: hexToBytes(stateRoot) })
  if (leaf === null) {
    expect([proof.nonce, proof.balance]).toEqual(['0x0', '0x0'])
    return
  }
  const [nonce = '0x', balance = '0x', ...hashes] = fromRlp(leaf, 'hex') as readonly Hex[]
  expect([hexToBigint(nonce), hexToBigint(balance)]).toEqual([BigInt(proof.nonce), BigInt(proof.balance)])
  expect(hashes).toEqual([proof.storageHash, proof.codeHash])
}

export interface Asked {
  /** Waits for the answers, which must agree. Returns how many came from worker threads. */
  compare(): Promise<number>
}

/**
 * Asks `count` questions of every node in `archives`, which keep all heights, and of those with threads also heavy ones.
 * Nothing is waited for: blocks go on meanwhile.
 */
export const askMany = (
  world: World,
  archives: readonly SimNode[],
  threaded: readonly SimNode[],
  count: number,
): Asked => {
  const asked: { readonly of: Question; readonly answers: readonly Promise<unknown>[] }[] = []
  for (let i = 0; i < count; i++) {
    const heavy = threaded.length > 0 && world.driver.random.chance(50)
    const of = makeQuestion(world, heavy)
    const nodes = heavy ? threaded : archives
    asked.push({ of, answers: nodes.map((node) => settle(() => node.ask(of.name, of.parameters))) })
  }
  return {
    compare: async () => {
      let heavy = 0
      for (const { of, answers } of asked) {
        const given = (await Promise.all(answers)).filter((answer) => !NO_ANSWERS.includes(answer))
        if (given.length === 0) continue
        const [first, ...others] = given
        for (const other of others) expect(other, JSON.stringify(of)).toEqual(first)
        if (!['call', 'estimateGas', 'logs', 'proof'].includes(of.name)) continue
        heavy++
        if (of.name !== 'proof' || typeof first !== 'object') continue
        const { number } = (of.parameters as { readonly block: { readonly number: number } }).block
        await checkProof(threaded[0] as SimNode, first as AccountProof, number)
      }
      return heavy
    },
  }
}
