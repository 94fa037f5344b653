/**
 * Several nodes of one chain, each on a loopback address of its own: 127.0.0.2, 127.0.0.3, ... All run one line of CometBFT, as they must
 * (docs/operating.md): CHAIN_TEST_COMETBFT says which.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../bin/node/genesis/document.ts'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { addValidatorOf, editCometToml } from '../../bin/testing/make-home.ts'
import { invariant } from '../../core/errors.ts'
import { createNode, type NodeOptions, type TestNode } from './harness.ts'

export interface NetworkMember extends NodeOptions {
  /** A full node has no power. */
  readonly isFull?: boolean
}

export interface NetworkOptions {
  readonly members: readonly NetworkMember[]
  readonly editGenesis?: (genesis: GenesisDocument, homes: readonly string[]) => GenesisDocument
  /** Values of every config.toml. */
  readonly cometToml?: Readonly<Record<string, string>>
}

export interface Network {
  readonly nodes: readonly TestNode[]
  at(index: number): TestNode
  /** Waits until all have `height` (of the nodes named, or all), and compares what they say of it. */
  expectSameBlocks(height: number, nodes?: readonly TestNode[]): Promise<void>
  /** What each wrote last, for a test that failed. */
  print(): void
  remove(): Promise<void>
}

const genesisOf = (node: TestNode): string => join(node.home, 'config', 'genesis.json')

/** The first home's genesis goes round, and each validator adds itself. */
const shareGenesis = (nodes: readonly TestNode[], { members, editGenesis }: NetworkOptions): void => {
  let [last] = nodes
  invariant(last !== undefined && members[0]?.isFull !== true, 'the first node is a validator')
  for (const [index, node] of nodes.entries()) {
    if (node === last || members[index]?.isFull === true) continue
    copyFileSync(genesisOf(last), genesisOf(node))
    addValidatorOf(node.home)
    last = node
  }
  if (editGenesis !== undefined) {
    const homes = nodes.map(({ home }) => home)
    writeGenesis(genesisOf(last), editGenesis(readGenesisJson(genesisOf(last)) as GenesisDocument, homes))
  }
  for (const node of nodes) if (node !== last) copyFileSync(genesisOf(last), genesisOf(node))
}

/** CometBFT's id of a node: the address of its key. */
const peerOf = async (node: TestNode): Promise<string> => {
  const id = execFileSync(await findCometbft(), ['show-node-id', '--home', node.home], { encoding: 'utf8' })
  return `${id.trim()}@${node.p2p}`
}

const connectAll = async (nodes: readonly TestNode[], { cometToml = {} }: NetworkOptions): Promise<void> => {
  const peers = await Promise.all(nodes.map(peerOf))
  for (const [index, node] of nodes.entries()) {
    const others = peers.filter((_, other) => other !== index).join(',')
    editCometToml(node.home, { ...cometToml, 'p2p.persistent_peers': `"${others}"` })
  }
}

const expectSame = async (height: number, nodes: readonly TestNode[]): Promise<void> => {
  const tag = `0x${height.toString(16)}`
  const seen: { hash: string; stateRoot: string }[] = []
  for (const node of nodes) {
    await node.untilHeight(height)
    const { hash, stateRoot } = await node.ask<{ hash: string; stateRoot: string }>('eth_getBlockByNumber', tag, false)
    seen.push({ hash, stateRoot })
  }
  expect(seen, `block ${height}`).toEqual(seen.map(() => seen[0]))
}

/** Makes the homes; `start` starts all of them. */
export const createNetwork = async (options: NetworkOptions): Promise<Network & { start(): Promise<void> }> => {
  const nodes: TestNode[] = []
  for (const [index, member] of options.members.entries()) {
    nodes.push(await createNode({ host: `127.0.0.${index + 2}`, ...member }))
  }
  shareGenesis(nodes, options)
  await connectAll(nodes, options)
  return {
    nodes,
    at: (index) => {
      const node = nodes[index]
      invariant(node !== undefined, `there are ${nodes.length} nodes`)
      return node
    },
    start: async () => {
      await Promise.all(nodes.map((node) => node.start()))
    },
    expectSameBlocks: (height, some = nodes) => expectSame(height, some),
    print: () => {
      for (const [index, node] of nodes.entries())
        console.log(`node ${index} wrote last:\n${node.lastWords().slice(-1_500)}`)
    },
    remove: async () => {
      for (const node of nodes) await node.remove()
    },
  }
}
