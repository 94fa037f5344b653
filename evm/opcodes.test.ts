import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEVM } from '@ethereumjs/evm'
import { describe, expect, it } from 'vitest'
import { isDefined, OPCODE, opcodeName } from './opcodes.ts'

const ALL = Array.from({ length: 256 }, (_, opcode) => opcode)

/** The library has one name for all of a run. */
const runName = (name: string): string => name.replace(/^(PUSH|DUP|SWAP|LOG)\d+$/, '$1')

it('instructions have the names of the reference library', async () => {
  const library = (await createEVM()).getActiveOpcodes()
  const known = ALL.filter((opcode) => isDefined(opcode) && library.has(opcode))
  expect(known.length).toBeGreaterThan(140)
  expect(known.map((opcode) => runName(library.get(opcode)?.name ?? ''))).toEqual(
    known.map((opcode) => (opcode === OPCODE.DIFFICULTY ? 'PREVRANDAO' : runName(opcodeName(opcode)))),
  )
})

describe('the loop', () => {
  const source = readFileSync(join(import.meta.dirname, 'interpreter/interpret.ts'), 'utf8')
  const cases = [...source.matchAll(/case (0x[0-9a-f]{2}):(?: \{)?\s*(?:\/\/ (\w+)(?: to (\w+))?)?/g)]

  it('has the numbers of the table beside their names', () => {
    const named = cases.filter(([, , name]) => name !== undefined)
    expect(named.length).toBeGreaterThan(40)
    for (const [, number, name] of named) expect([number, opcodeName(Number(number))]).toEqual([number, name])
  })

  it('leaves no number without a name but within a run that is named', () => {
    let end = 0
    const nameless = cases.filter(([, number, name, until]) => {
      if (name === undefined) return Number(number) > end
      end = OPCODE[until as keyof typeof OPCODE] ?? 0
      return false
    })
    expect(nameless).toEqual([])
  })
})
