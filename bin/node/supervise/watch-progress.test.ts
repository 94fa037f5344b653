import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { ConsensusStatus } from '../../../app/environment.ts'
import { watchProgress } from './watch-progress.ts'

const STATUS = {
  node_info: { id: 'a', network: 'localnat-1', version: '0.38' },
  sync_info: { latest_block_height: '7', catching_up: false, latest_block_time: '' },
  validator_info: { address: '', voting_power: '0' },
}
const silent = (): undefined => undefined

it('tells of the status again once CometBFT is back: it has forgotten what it was told', async () => {
  let isAway = false
  const comet = createServer((request, response) => {
    response.statusCode = isAway ? 503 : 200
    const result = request.url === '/status' ? STATUS : { n_peers: '1' }
    response.end(JSON.stringify({ result }))
    if (isAway) comet.emit('refused')
  })
  comet.listen(0, '127.0.0.1')
  await once(comet, 'listening')
  const told: ConsensusStatus[] = []
  const log = { info: silent, warn: silent, error: silent }
  const rpc = `tcp://127.0.0.1:${(comet.address() as AddressInfo).port}`
  const addresses = { rpc, p2p: 'tcp://127.0.0.1:26656', seeds: '', persistentPeers: '' }
  const onStatus = (status: ConsensusStatus): void => void told.push(status)
  const watch = watchProgress({ comet: addresses, log, height: () => 7, onStatus })
  const same = { catchingUp: false, peers: 1, highestHeight: 7 }
  try {
    await expect.poll(() => told).toEqual([same])
    isAway = true
    await once(comet, 'refused')
    isAway = false
    await expect.poll(() => told).toEqual([same, same])
  } finally {
    await watch.stop()
    comet.close()
  }
})

it('says that the node does not follow its chain where CometBFT is away and no block comes, and not while blocks come', async () => {
  let isAway = false
  let height = 7
  const comet = createServer((request, response) => {
    response.statusCode = isAway ? 503 : 200
    const result = request.url === '/status' ? STATUS : { n_peers: '1' }
    response.end(JSON.stringify({ result }))
    if (isAway) comet.emit('refused')
  })
  comet.listen(0, '127.0.0.1')
  await once(comet, 'listening')
  const told: ConsensusStatus[] = []
  const log = { info: silent, warn: silent, error: silent }
  const rpc = `tcp://127.0.0.1:${(comet.address() as AddressInfo).port}`
  const addresses = { rpc, p2p: 'tcp://127.0.0.1:26656', seeds: '', persistentPeers: '' }
  const onStatus = (status: ConsensusStatus): void => void told.push(status)
  // A block comes with every look, until none does.
  let blocksCome = true
  const grow = (): number => (blocksCome ? height++ : height)
  const watch = watchProgress({ comet: addresses, log, height: grow, onStatus, awayAfterMs: 1 })
  const follows = { catchingUp: false, peers: 1, highestHeight: 7 }
  const isGone = { catchingUp: true, peers: 0, highestHeight: 7 }
  try {
    await expect.poll(() => told).toEqual([follows])
    isAway = true
    await once(comet, 'refused')
    await once(comet, 'refused')
    expect(told).toEqual([follows])
    blocksCome = false
    await expect.poll(() => told).toEqual([follows, isGone])
    expect(watch.status()).toEqual(isGone)
    isAway = false
    await expect.poll(() => told).toEqual([follows, isGone, follows])
  } finally {
    await watch.stop()
    comet.close()
  }
})
