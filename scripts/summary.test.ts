import { describe, expect, it } from 'vitest'
import { mergeVitest, readVitest, summarize } from './summary.ts'

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

  it('counts a test file that did not even load as one failure, and says what failed', () => {
    const passed = { status: 'passed', fullName: 'a sum is right', failureMessages: [] }
    const failed = { status: 'failed', fullName: 'a sum is wrong', failureMessages: ['expected 2 to be 3\n  at sum'] }
    const report = {
      numPassedTests: 3,
      numFailedTests: 1,
      testResults: [
        { name: 'broken.test.ts', status: 'failed', message: 'cannot find module', assertionResults: [] },
        { name: 'sum.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
        { name: 'other.test.ts', status: 'passed', message: '', assertionResults: [passed] },
      ],
    }
    expect(readVitest(report, 'all')).toEqual({
      passed: 3,
      failed: 2,
      failures: [
        'all: broken.test.ts: cannot find module',
        'all: sum.test.ts: a sum is wrong: expected 2 to be 3\n      at sum',
      ],
    })
  })

  it('takes what a second run says of a file for what the first said', () => {
    const one = (name: string, status: string) => ({
      name,
      status,
      message: '',
      assertionResults: [{ status, fullName: 'does it', failureMessages: [] }],
    })
    const first = {
      numPassedTests: 1,
      numFailedTests: 2,
      testResults: ['a', 'b', 'c'].map((name) => one(name, name === 'a' ? 'passed' : 'failed')),
    }
    const again = { numPassedTests: 1, numFailedTests: 1, testResults: [one('b', 'passed'), one('c', 'failed')] }
    expect(mergeVitest(first, again)).toEqual({
      numPassedTests: 2,
      numFailedTests: 1,
      testResults: [one('a', 'passed'), one('b', 'passed'), one('c', 'failed')],
    })
  })
})
