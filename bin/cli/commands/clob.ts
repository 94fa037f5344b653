/** `chain clob`: what concerns the order book alone. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerClob = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'clob',
    description: 'the order book: audit what a chain did with orders',
    load: async () => (await import('../clob/clob-program.ts')).createClobProgram(),
  })
