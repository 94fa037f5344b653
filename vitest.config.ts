import { homedir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'
import { findTestGroups } from './scripts/test-groups.ts'

// The folder of the command `chain`: whatever the tests start, in whatever way, and what they load of packages themselves,
// is there as Node compiled it.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
process.env['NODE_COMPILE_CACHE'] ??= join(cache, 'nat-chain', 'compiled')

const exclude = ['**/node_modules/**', '.cache/**', '.devnet/**', 'test/fixtures/**']
const groups = findTestGroups(import.meta.dirname, exclude)

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: [...groups.shared], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: [...groups.alone] } },
      { extends: true, test: { name: 'nodes', include: [...groups.nodes] } },
    ],
    environment: 'node',
    // Processes: the database binding and its handles do not outlive a test file. Two, for the smallest machine.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Two runs side by side (scripts/test.ts) would write to one file.
    cache: false,
    // They end what hangs, and claim nothing about speed: a busy machine takes ten times as long as a quiet one, and what
    // computes has a quarter of a processor beside nodes. Tests have no limits of their own, which would be too short there.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 180_000, interval: 20 } },
    teardownTimeout: 20_000,
    reporters: ['default'],
  },
})
