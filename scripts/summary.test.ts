import { describe, expect, it } from 'vitest'
import { countVitest, summarize } from './summary.ts'

describe('the last line', () => {
  it('sums checks and tests', () => {
    expect(
      summarize(
        [
          { passed: 5, failed: 0 },
          { passed: 40, failed: 2 },
        ],
        1,
      ),
    ).toBe('45 passed, 2 failed')
    expect(summarize([{ passed: 5, failed: 0 }], 0)).toBe('5 passed, 0 failed')
  })

  it('counts a run that failed without a failed test', () => {
    expect(summarize([], 2)).toBe('0 passed, 1 failed')
  })

  it('counts a test file that did not even load as one failure', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 1,
      testResults: [
        { status: 'failed', assertionResults: [] },
        { status: 'failed', assertionResults: [{ status: 'failed' }] },
        { status: 'passed', assertionResults: [{ status: 'passed' }] },
      ],
    }
    expect(countVitest(report)).toEqual({ passed: 3, failed: 2 })
  })
})
