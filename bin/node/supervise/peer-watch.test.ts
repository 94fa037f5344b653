import { describe, expect, it } from 'vitest'
import { PeerWatch } from './peer-watch.ts'
import { SyncProgress } from './sync-progress.ts'

const ID = 'ab'.repeat(20)

const recorder = () => {
  const lines: string[] = []
  const add = (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, log: { info: add, warn: add, error: add } }
}

const addresses = (seeds: string) => ({ p2p: 'tcp://0.0.0.0:26656', seeds, persistentPeers: '' })

describe('a node without peers', () => {
  it('says after ten seconds whom to name, and that it has found somebody', () => {
    const { lines, log } = recorder()
    const watch = new PeerWatch(log, addresses(''))
    for (let second = 0; second <= 30; second++) watch.see({ nowMs: second * 1_000, peers: 0, height: 0 })
    expect(lines).toEqual([expect.stringMatching(/^this node has no peers .*"seconds":10.*set p2p.seeds or/)])
    watch.see({ nowMs: 31_000, peers: 1, height: 0 })
    expect(lines.slice(1)).toEqual(['a peer was found {"peers":1}'])
  })

  it('names those whom it has dialled in vain, and repeats itself', () => {
    const { lines, log } = recorder()
    const watch = new PeerWatch(log, addresses(`${ID}@10.0.0.1:26656`))
    for (let second = 0; second <= 320; second++) watch.see({ nowMs: second * 1_000, peers: 0, height: 7 })
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`nobody of ${ID}@10.0.0.1:26656 answers`)
    expect(lines[0]).toContain('a seed that knows no other node ends the connection: name it in p2p.persistent_peers')
  })

  it('says nothing while it makes blocks alone', () => {
    const { lines, log } = recorder()
    const watch = new PeerWatch(log, addresses(''))
    for (let second = 0; second <= 60; second++) watch.see({ nowMs: second * 1_000, peers: 0, height: second })
    expect(lines).toEqual([])
  })
})

describe('a node that catches up', () => {
  /** It executes 50 blocks a second of a chain that makes one. */
  const run = (seconds: number, rate: number): readonly string[] => {
    const { lines, log } = recorder()
    const progress = new SyncProgress(log)
    const start = 1_700_000_000_000
    for (let second = 0; second <= seconds; second++) {
      const wallMs = start + 5_000_000 + second * 1_000
      const height = 1 + second * rate
      const blockTimeMs = start + height * 1_000
      progress.see({ nowMs: second * 1_000, wallMs, catchingUp: blockTimeMs < wallMs, height, blockTimeMs })
    }
    return lines
  }

  it('says every ten seconds how fast it is, how far behind, and how long it takes', () => {
    const lines = run(110, 50)
    expect(lines[0]).toBe('catching up {"height":501,"behind":"1 h 15 min","blocksPerSecond":"50","left":"1 min 32 s"}')
    expect(lines.at(-1)).toMatch(/^caught up with the network /)
    expect(lines).toHaveLength(11)
  })

  it('says so when it is no faster than the network', () => {
    expect(run(10, 1)[0]).toContain('unknown: the network is as fast as this node')
  })
})
