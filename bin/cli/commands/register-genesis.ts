/** `chain genesis`: the genesis file of a home. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerGenesis = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'genesis',
    description: 'edit, fetch and check the genesis file',
    load: async () => (await import('./genesis-program.ts')).createGenesisProgram(),
  })
