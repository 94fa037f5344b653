/**
 * Counts of checks and tests, left by each tool and summed into the last line: `N passed, N failed`. What failed is told
 * just before it, since the end of a log is what one has of a run elsewhere.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as z from 'zod'

export interface Counts {
  readonly passed: number
  readonly failed: number
}

/** What a run of one tool leaves: `failures` has a name and, if there is one, the message, for people. */
export interface Report extends Counts {
  readonly failures: readonly string[]
}

const folder = join(import.meta.dirname, '..', '.cache', 'summary')
/** Where a run of vitest leaves its report. */
export const reportPath = (run: string): string => join(folder, `vitest-${run}.json`)

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})
const ownReport = z.object({ passed: z.number(), failed: z.number(), failures: z.array(z.string()) })
type VitestReport = z.infer<typeof vitestReport>
type FileReport = VitestReport['testResults'][number]

/** How many lines are shown of a message with its stack and differences. */
const FAILURE_LINES = 12
const firstLines = (text: string): string => text.split('\n').slice(0, FAILURE_LINES).join('\n    ')

/** A file that failed as a whole (it did not even load) is one failure. */
const fileFailures = ({ name, status, message, assertionResults }: FileReport): readonly string[] => {
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length === 0 && status === 'failed') return [`${name}: ${firstLines(message)}`]
  return tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${firstLines(failureMessages.join('\n'))}`)
}

/** `run` names what ran the tests, such as another transport. */
export const readVitest = (report: VitestReport, run: string): Report => {
  const failures = report.testResults.flatMap(fileFailures).map((failure) => `${run}: ${failure}`)
  return { passed: report.numPassedTests, failed: Math.max(report.numFailedTests, failures.length), failures }
}

/** What `again` ran anew takes the place of what `first` says of these files. */
export const mergeVitest = (first: VitestReport, again: VitestReport): VitestReport => {
  const anew = new Map(again.testResults.map((file) => [file.name, file]))
  const testResults = first.testResults.map((file) => anew.get(file.name) ?? file)
  const count = (wanted: string): number =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults }
}

const readVitestReport = (run: string): VitestReport =>
  vitestReport.parse(JSON.parse(readFileSync(reportPath(run), 'utf8')))

/** Files with a failed test, as a run left them. */
export const failedFiles = (run: string): readonly string[] =>
  readVitestReport(run)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => name)

/** Merges the run `again` into `first`, of which only one report stays. */
export const mergeReports = (first: string, again: string): void => {
  writeFileSync(reportPath(first), JSON.stringify(mergeVitest(readVitestReport(first), readVitestReport(again))))
  rmSync(reportPath(again))
}

const readReport = (name: string): Report => {
  const report: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const own = ownReport.safeParse(report)
  return own.success ? own.data : readVitest(vitestReport.parse(report), name.replace('.json', ''))
}

export const writeReport = (name: string, report: Report): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report)}\n`)
}

/** The last line. A command that failed without leaving a count (a crash, setup) is one failure. */
export const summarize = (reports: readonly Counts[], exitStatus: number): string => {
  const passed = reports.reduce((sum, counts) => sum + counts.passed, 0)
  const failed = reports.reduce((sum, counts) => sum + counts.failed, 0)
  return `${passed} passed, ${failed === 0 && exitStatus !== 0 ? 1 : failed} failed`
}

const readReports = (): readonly Report[] => {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map(readReport)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'exit-status': { type: 'string', default: '0' } } })
  const reports = readReports()
  for (const failure of reports.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`)
  console.log(summarize(reports, Number(values['exit-status'])))
}
