/** `chain tx`: native transactions. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerTx = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'tx',
    description: 'make, sign and send native transactions',
    load: async () => (await import('../tx/tx-program.ts')).createTxProgram(),
  })
