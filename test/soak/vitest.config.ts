import { defineConfig } from 'vitest/config'

const MS_A_MINUTE = 60_000
/** A run looks at its clock between two seeds or rounds, and ends what it has begun. */
const LAST_ROUND_MINUTES = 60
const minutes = Number(process.env['SOAK_MINUTES'] ?? 0)

/** `make soak`: long runs against real nodes, one after another. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: (minutes + LAST_ROUND_MINUTES) * MS_A_MINUTE,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: ['verbose'],
  },
})
