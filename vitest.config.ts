import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '.cache/**', '.devnet/**', 'test/fixtures/**'],
    environment: 'node',
    // Processes: the database binding and its handles do not outlive a test file. Two, for the smallest machine.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    reporters: ['default'],
  },
})
