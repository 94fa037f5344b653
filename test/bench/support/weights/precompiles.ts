/** Calls of precompiled contracts with the inputs that take longest. */
import type { Program } from './program.ts'
import { PRECOMPILE_CASES } from './precompile-inputs.ts'

/** One call of these takes millions. */
const MANY_GAS = /(256|1024)\/(256|1024)\/|1024\/1024/

export const PRECOMPILE_PROGRAMS: readonly Program[] = PRECOMPILE_CASES.map(({ name, number, input, gas }) => ({
  name: `0x${number.toString(16)} ${name}`,
  memory: input,
  unit: `PUSH0 PUSH0 PUSH3 ${input.length} PUSH0 PUSH2 ${number} ${gas === undefined ? 'GAS' : `PUSH ${gas}`} STATICCALL POP`,
  copies: 1,
  gas: MANY_GAS.test(name) ? 16_000_000n : 4_000_000n,
}))
