/** `chain bridge`: the keys with which a validator signs for the bridge. */
import type { Command } from 'commander'
import { registerLazyGroup } from './lazy-group.ts'

export const registerBridge = (program: Command): void =>
  registerLazyGroup(program, {
    name: 'bridge',
    description: 'the keys with which a validator signs for the bridge',
    load: async () => (await import('./bridge-program.ts')).createBridgeProgram(),
  })
