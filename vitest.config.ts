import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '.cache/**', '.devnet/**', 'test/fixtures/**'],
    environment: 'node',
    // Processes: the database binding and its handles do not outlive a test file. Two, for the smallest machine.
    pool: 'forks',
    maxWorkers: 2,
    // They end what hangs; a busy machine takes several times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    teardownTimeout: 20_000,
    reporters: ['default'],
  },
})
