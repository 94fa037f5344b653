/** A validator that suffers, and a full node without a key that never does: both must have the same blocks. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { createNode, type NodeOptions, type TestNode } from '../e2e/harness.ts'

const CATCH_UP_LIMIT_MS = 60_000

export interface Pair {
  readonly victim: TestNode
  readonly witness: TestNode
}

const configOf = (node: TestNode, file: string): string => join(node.home, 'config', file)

/** Neither is started. The witness finds the victim by its address, again and again. */
export const createPair = async (options: NodeOptions): Promise<Pair> => {
  const victim = await createNode(options)
  const witness = await createNode({ timeoutCommitMs: options.timeoutCommitMs ?? 0 })
  copyFileSync(configOf(victim, 'genesis.json'), configOf(witness, 'genesis.json'))
  const id = execFileSync(await findCometbft(), ['show-node-id', '--home', victim.home], { encoding: 'utf8' }).trim()
  const path = configOf(witness, 'config.toml')
  const peer = `"${id}@127.0.0.1:${victim.ports.p2p}"`
  let toml = setTomlValue(readFileSync(path, 'utf8'), 'p2p.persistent_peers', peer)
  // A peer that was away is called again soon, however often it was.
  toml = setTomlValue(toml, 'p2p.persistent_peers_max_dial_period', '"500ms"')
  writeFileSync(path, toml)
  return { victim, witness }
}

const hashAt = async (node: TestNode, height: number): Promise<string> =>
  (await node.ask<{ hash: string }>('eth_getBlockByNumber', `0x${height.toString(16)}`, false)).hash

/** The hash of a block holds every root of its height. */
export const expectSameBlocks = async ({ victim, witness }: Pair, from: number, to: number): Promise<void> => {
  await witness.untilHeight(to, CATCH_UP_LIMIT_MS)
  for (let height = from; height <= to; height++) {
    expect(await hashAt(victim, height), `hash of ${height}`).toBe(await hashAt(witness, height))
  }
}
