/** A new chain that goes on from a height of a running one, by the genesis that an export of it makes. */
import { expect } from 'vitest'
import { exportAppState } from '../../app/genesis/export.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { invariant } from '../../core/errors.ts'
import type { SimNode, SimNodeOptions } from './sim-node.ts'
import { makeWorld, type World } from './world.ts'

/** The text of app_state at a height, as `chain export` writes it. */
export const exportText = (node: SimNode, height: number): string => {
  const { parameters, height: head } = node.application
  const record = new ChainReader(node.store).header(height)
  invariant(parameters !== undefined && record !== undefined, `block ${height} is there`)
  const committedHeight = (): number => head
  return [...exportAppState({ store: node.store, height, committedHeight, parameters, record })].join('')
}

/** The same validators, accounts and parameters, from the height after `height` on. */
export const forkWorld = async (
  world: World,
  height: number,
  nodes: readonly Omit<SimNodeOptions, 'clock'>[],
): Promise<World> => {
  const [node] = world.nodes
  const { setup, random } = world.driver
  invariant(node !== undefined, 'a world has nodes')
  const record = new ChainReader(node.store).header(height)
  invariant(record !== undefined, `block ${height} is there`)
  const { validators: _, operators: __, ...same } = setup
  const fork = await makeWorld({
    ...same,
    random,
    nodes,
    accounts: world.accounts,
    validators: world.driver.newestValidators,
    appState: JSON.parse(exportText(node, height)) as unknown,
    initialHeight: height + 1,
    consensusParameters: world.driver.consensusParameters,
    genesisTimeNs: record.timeNs,
  })
  for (const validator of world.driver.keys) fork.driver.addKey(validator)
  for (const { store } of fork.nodes) {
    const begun = new ChainReader(store).header(height)
    expect(begun?.header.stateRoot, `state root of height ${height} after an export`).toEqual(record.header.stateRoot)
    expect(begun?.header.timestamp).toBe(record.header.timestamp)
  }
  return fork
}
