/** Counts of checks and tests, left by each tool and summed into the last line: `N passed, N failed`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as z from 'zod'

export interface Counts {
  readonly passed: number
  readonly failed: number
}

const folder = join(import.meta.dirname, '..', '.cache', 'summary')
/** Where a run of vitest leaves its report. */
export const reportPath = (run: string): string => join(folder, `vitest-${run}.json`)

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
})
const ownReport = z.object({ passed: z.number(), failed: z.number() })

/** A file that failed as a whole (it did not even load) counts as one failure. */
export const countVitest = (report: z.infer<typeof vitestReport>): Counts => {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length }
}

const readCounts = (path: string): Counts => {
  const report: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const own = ownReport.safeParse(report)
  return own.success ? own.data : countVitest(vitestReport.parse(report))
}

export const writeCounts = (name: string, counts: Counts): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(counts)}\n`)
}

/** The last line. A command that failed without leaving a count (a crash, setup) is one failure. */
export const summarize = (reports: readonly Counts[], exitStatus: number): string => {
  const passed = reports.reduce((sum, counts) => sum + counts.passed, 0)
  const failed = reports.reduce((sum, counts) => sum + counts.failed, 0)
  return `${passed} passed, ${failed === 0 && exitStatus !== 0 ? 1 : failed} failed`
}

const readReports = (): readonly Counts[] => {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readCounts(join(folder, name)))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'exit-status': { type: 'string', default: '0' } } })
  console.log(summarize(readReports(), Number(values['exit-status'])))
}
