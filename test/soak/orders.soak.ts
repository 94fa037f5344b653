/**
 * Networks that trade, with one seed after another for SOAK_MINUTES; SEED says which is the first. It goes on after a rule was
 * broken, prints what repeats it, and fails at the end. The last lines sum up.
 */
import { expect, it } from 'vitest'
import { describeOrders, describeRun, runPrinted } from '../sim/network/session.ts'
import { Random } from '../sim/random.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const MS_A_MINUTE = 60_000

it(`${MINUTES} minutes of networks that trade`, async () => {
  const endMs = performance.now() + MINUTES * MS_A_MINUTE
  let [seed, blocks, commits, withLiars] = [FIRST_SEED, 0, 0, 0]
  const sums = new Map<string, number>()
  const broken: string[] = []
  for (; performance.now() < endMs || seed === FIRST_SEED; seed++) {
    try {
      const report = await runPrinted(seed, new Random(seed).pick([15, 25, 40, 80]), { hasOrders: true })
      console.log(describeRun(report), describeOrders(report))
      blocks += report.height
      commits += report.commits
      if (report.lies > 0) withLiars += report.height
      const { batchLies, ...counts } = report.orders ?? { batchLies: {} }
      for (const [name, count] of Object.entries({ ...counts, ...batchLies }))
        sums.set(name, name.startsWith('most') ? Math.max(sums.get(name) ?? 0, count) : (sums.get(name) ?? 0) + count)
    } catch (error) {
      broken.push(`seed ${seed}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
    }
  }
  const shown = [...sums].map(([name, count]) => `${name} ${count}`).join(', ')
  console.log(
    `seeds ${FIRST_SEED} to ${seed - 1}: ${blocks} blocks, ${withLiars} with liars, ${commits} commits, ${shown}`,
  )
  expect(broken).toEqual([])
})
