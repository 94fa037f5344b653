import { expect } from 'vitest'
import type { Inspection } from '../../bin/cli/commands/inspect.ts'
import { runChain } from './harness.ts'

/** What `chain inspect` says of the home of a node that is stopped. */
export const inspectHome = async (home: string): Promise<Inspection> => {
  const { status, stdout, stderr } = await runChain(['inspect', '--json', '--home', home])
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as Inspection
}
