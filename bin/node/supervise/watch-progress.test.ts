import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { ConsensusStatus } from '../../../app/environment.ts'
import { type ProgressOptions, watchProgress } from './watch-progress.ts'

const STATUS = {
  node_info: { id: 'a', network: 'localnat-1', version: '0.38' },
  sync_info: { latest_block_height: '7', catching_up: false, latest_block_time: '' },
  validator_info: { address: '', voting_power: '0' },
}
const FOLLOWS: ConsensusStatus = { catchingUp: false, peers: 1, highestHeight: 7 }
const silent = (): undefined => undefined

/** Watches a CometBFT that may be away, and emits `refused` then. */
const watch = async (changes: Pick<ProgressOptions, 'height' | 'awayAfterMs'>) => {
  const comet = createServer((request, response) => {
    response.statusCode = world.isAway ? 503 : 200
    const result = request.url === '/status' ? STATUS : { n_peers: '1' }
    response.end(JSON.stringify({ result }))
    if (world.isAway) comet.emit('refused')
  })
  comet.listen(0, '127.0.0.1')
  await once(comet, 'listening')
  const told: ConsensusStatus[] = []
  const log = { info: silent, warn: silent, error: silent }
  const rpc = `tcp://127.0.0.1:${(comet.address() as AddressInfo).port}`
  const addresses = { rpc, p2p: 'tcp://127.0.0.1:26656', seeds: '', persistentPeers: '' }
  const onStatus = (status: ConsensusStatus): void => void told.push(status)
  const progress = watchProgress({ comet: addresses, log, onStatus, ...changes })
  const world = {
    isAway: false,
    told,
    status: () => progress.status(),
    refused: () => once(comet, 'refused'),
    end: async () => {
      await progress.stop()
      comet.close()
    },
  }
  return world
}

it('tells of the status again once CometBFT is back: it has forgotten what it was told', async () => {
  const world = await watch({ height: () => 7 })
  try {
    await expect.poll(() => world.told).toEqual([FOLLOWS])
    world.isAway = true
    await world.refused()
    world.isAway = false
    await expect.poll(() => world.told).toEqual([FOLLOWS, FOLLOWS])
  } finally {
    await world.end()
  }
})

it('says that the node does not follow its chain where CometBFT is away and no block comes, and not while blocks come', async () => {
  // A block comes with every look, until none does.
  let [height, blocksCome] = [7, true]
  const world = await watch({ height: () => (blocksCome ? height++ : height), awayAfterMs: 1 })
  const isGone: ConsensusStatus = { catchingUp: true, peers: 0, highestHeight: 7 }
  try {
    await expect.poll(() => world.told).toEqual([FOLLOWS])
    world.isAway = true
    await world.refused()
    await world.refused()
    expect(world.told).toEqual([FOLLOWS])
    blocksCome = false
    await expect.poll(() => world.told).toEqual([FOLLOWS, isGone])
    expect(world.status()).toEqual(isGone)
    world.isAway = false
    await expect.poll(() => world.told).toEqual([FOLLOWS, isGone, FOLLOWS])
  } finally {
    await world.end()
  }
})
