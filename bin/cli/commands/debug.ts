/** `chain debug`: addresses and public keys in their forms. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerDebug = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'debug',
    description: 'addresses and public keys in all their forms',
    load: async () => (await import('./debug-program.ts')).createDebugProgram(),
  })
