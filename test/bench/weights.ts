/**
 * What each kind of work of a transaction costs in processor time, the measure behind the weights of a block: nanoseconds
 * for one execution with the operands that take longest, its gas, what that makes a gas, what it weighs (evm/weight.ts), and how long a
 * block takes that holds nothing else.
 * Worst first. The units are whole: PUSHes and POPs around an instruction count, and so does a collection of garbage.
 * By hand: node test/bench/weights.ts [part of a name]
 */
import { GENESIS_MAX_BLOCK_GAS } from '../../core/limits.ts'
import { DEFAULT_MAX_BLOCK_WEIGHT } from '../../modules/weight/index.ts'
import { INSTRUCTION_PROGRAMS } from './support/weights/instructions.ts'
import { PRECOMPILE_PROGRAMS } from './support/weights/precompiles.ts'
import { FRAME_PROGRAMS } from './support/weights/frames.ts'
import { accessPrograms } from './support/weights/accesses.ts'
import { openColdState } from './support/weights/cold-state.ts'
import { measureBlockEnd } from './support/weights/block-end.ts'
import { measureTransactions } from './support/weights/transactions.ts'
import { measureProgram, type Row } from './support/weights/program.ts'

const [wanted = ''] = process.argv.slice(2)
const rows: Row[] = []
const cold = await openColdState()
for (const program of [...INSTRUCTION_PROGRAMS, ...FRAME_PROGRAMS, ...PRECOMPILE_PROGRAMS, ...accessPrograms(cold)]) {
  if (program.name.includes(wanted)) rows.push(measureProgram(program))
}
if ('transaction access list authorization'.includes(wanted)) rows.push(...measureTransactions(cold))
await cold.close()
if ('block:'.includes(wanted)) {
  const plain = await openColdState(0)
  rows.push(...measureBlockEnd(plain.store))
  await plain.close()
}

/** Time of a block that holds nothing else: as much as its gas and its weight allow. */
const blockSeconds = (ns: number, gas: number, weight: number): number =>
  ns * 1e-9 * Math.min(GENESIS_MAX_BLOCK_GAS / gas, DEFAULT_MAX_BLOCK_WEIGHT / weight)

const cell = (value: number, width: number, digits: number): string => value.toFixed(digits).padStart(width)
rows.sort((a, b) => b.ns / b.gas - a.ns / a.gas)
console.log(
  `${'unit'.padEnd(44)} ${'ns'.padStart(12)} ${'gas'.padStart(9)} ${'ns/gas'.padStart(8)} ${'Mgas/s'.padStart(8)} ${'weight'.padStart(12)} weight/ns block/s`,
)
for (const { name, ns, gas, weight } of rows) {
  const counted =
    weight === undefined
      ? ''
      : ` ${cell(weight, 12, 0)} ${cell(weight / ns, 9, 2)} ${cell(blockSeconds(ns, gas, weight), 7, 2)}`
  console.log(
    `${name.padEnd(44)} ${cell(ns, 12, 1)} ${cell(gas, 9, 0)} ${cell(ns / gas, 8, 2)} ${cell((1_000 * gas) / ns, 8, 1)}${counted}`,
  )
}
