/** Telling the other modules what happens to stake. */
import type { ModuleContext } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { StakingPorts } from './deps.ts'

type Arguments<Name extends keyof StakingHooks> =
  Parameters<NonNullable<StakingHooks[Name]>> extends [ModuleContext, ...infer Rest] ? Rest : never

/** Calls one hook of every module that has it, in their order. */
export const callHooks = <Name extends keyof StakingHooks>(
  ports: StakingPorts,
  name: Name,
  context: ModuleContext,
  ...args: Arguments<Name>
): void => {
  for (const hooks of ports.stakingHooks()) {
    const hook = hooks[name] as ((context: ModuleContext, ...args: Arguments<Name>) => void) | undefined
    hook?.call(hooks, context, ...args)
  }
}
