import { describe, expect, it } from 'vitest'
import { BLOCK_STEPS } from '../../app/environment.ts'
import { seeded } from './random.ts'
import { runStorm } from './storm.ts'

describe('nodes of every kind', () => {
  it(
    'agree on every app hash of a storm',
    seeded(320, async (random) => {
      const report = await runStorm({ random, blocks: 60, forkBlocks: 15 })
      const kills = BLOCK_STEPS.map((step) => `${step} ${report.kills.get(step) ?? 0}`).join(', ')
      console.log(
        `taken over ${report.takenOver}, executed anew ${report.executedAnew}, invalid ${report.invalid}, ` +
          `failed ${report.failed}, native ${report.native} (failed ${report.nativeFailed}), answers of threads ${report.heavyAnswers}, kills: ${kills}`,
      )
      expect([...report.types].sort()).toEqual(['0x0', '0x1', '0x2', '0x4'])
      expect(report.takenOver).toBeGreaterThan(50)
      expect(report.executedAnew).toBeGreaterThan(20)
      expect(report.invalid).toBeGreaterThan(2)
      expect(report.failed).toBeGreaterThan(10)
      expect(report.native).toBeGreaterThan(20)
      expect(report.nativeFailed).toBeGreaterThan(2)
      expect(report.native - report.nativeFailed).toBeGreaterThan(10)
      expect(report.heavyAnswers).toBeGreaterThan(10)
      expect([...report.kills.keys()].sort()).toEqual(BLOCK_STEPS.toSorted())
    }),
  )
})
