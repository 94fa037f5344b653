/** `chain query`: every query of the native layer. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerQuery = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'query',
    alias: 'q',
    description: 'ask a node: bank, staking, gov and all other modules, transactions, blocks',
    load: async () => (await import('../query/query-program.ts')).createQueryProgram(),
  })
