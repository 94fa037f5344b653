/** What geth 1.16.8 answered to the calls of traces.ts: see there for how it was recorded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TracerChoice } from '../../../app/ports.ts'
import { type CALL_CONFIGS, isPrecompileKey, programCalls } from './traces.ts'
import { traceProgram } from '../../../query/trace/testing/trace-program.ts'

const fixture = join(import.meta.dirname, '../fixtures/geth-parity.json')
const recorded = JSON.parse(readFileSync(fixture, 'utf8')) as Readonly<Record<string, { readonly result?: unknown }>>

/** The address is of no account that a test looks at. */
const COINBASE = `0x${'cb'.repeat(20)}`

/** Leaves out what the recording leaves out. */
const withoutFacts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutFacts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== COINBASE && !isPrecompileKey(name))
      .map(([name, member]) => [name, name === 'blockNumber' ? '<blockNumber>' : withoutFacts(member)]),
  )
}

export interface Compared {
  readonly title: string
  readonly ours: string
  readonly theirs: string
}

/** Every recorded call with both answers, as texts: the order of members counts. */
export const compareWithGeth = async (
  name: keyof typeof CALL_CONFIGS,
  choice: TracerChoice,
): Promise<readonly Compared[]> => {
  const compared: Compared[] = []
  for (const { title, call, stateOverrides } of programCalls()) {
    const ours = withoutFacts(await traceProgram(choice, call, stateOverrides))
    const theirs = recorded[`${name}, ${title}`]?.result
    compared.push({ title, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) })
  }
  return compared
}
