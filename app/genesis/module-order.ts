/** In which order the modules act. They are listed in that of their genesis: each finds there what it needs. */
import { invariant } from '../../core/errors.ts'
import type { Module } from '../../modules/module.ts'

/** Fees are shared out before anyone is punished or changes stakes; a plan's upgrade comes before all. */
export const BEGIN_BLOCK_ORDER = ['upgrade', 'mint', 'distribution', 'slashing', 'evidence'] as const

/** Proposals are executed before stakes become powers; the base fee comes last. */
export const END_BLOCK_ORDER = ['gov', 'staking', 'feemarket'] as const

const HOOKS = { begin: BEGIN_BLOCK_ORDER, end: END_BLOCK_ORDER }

export const inOrder = (modules: readonly Module[], names: readonly string[]): readonly Module[] =>
  names.flatMap((name) => modules.find((module) => module.name === name) ?? [])

/** A module with a hook that nobody calls is a mistake of the wiring. */
export const checkOrder = (modules: readonly Module[]): void => {
  for (const { name, beginBlock, endBlock } of modules) {
    const begins: readonly string[] = HOOKS.begin
    const ends: readonly string[] = HOOKS.end
    invariant(beginBlock === undefined || begins.includes(name), `the begin of a block is not told to ${name}`)
    invariant(endBlock === undefined || ends.includes(name), `the end of a block is not told to ${name}`)
  }
}
