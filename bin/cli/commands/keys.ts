/** `chain keys`: the keyring of a home. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerKeys = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'keys',
    description: 'keys that sign transactions: make, import, show, export',
    load: async () => (await import('./keys-program.ts')).createKeysProgram(),
  })
