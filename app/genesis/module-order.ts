/**
 * The order in which the modules act in a block: by the phases of their hooks (modules/hooks.ts), then as in their
 * genesis.
 */
import { BEGIN_PHASES, type BeginBlockHook, END_PHASES, type EndBlockHook } from '../../modules/hooks.ts'
import type { Module } from '../../modules/module.ts'

const byPhase = <Phase extends string, Hook extends { readonly phase: Phase }>(
  phases: readonly Phase[],
  hooks: readonly Hook[],
): readonly Hook[] => phases.flatMap((phase) => hooks.filter((hook) => hook.phase === phase))

export const beginBlockHooks = (modules: readonly Module[]): readonly BeginBlockHook[] =>
  byPhase(
    BEGIN_PHASES,
    modules.flatMap(({ hooks }) => hooks?.beginBlock ?? []),
  )

export const endBlockHooks = (modules: readonly Module[]): readonly EndBlockHook[] =>
  byPhase(
    END_PHASES,
    modules.flatMap(({ hooks }) => hooks?.endBlock ?? []),
  )
