import { defineConfig } from 'vitest/config'

/** `make soak`: long runs against real nodes, one after another. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: ['verbose'],
  },
})
