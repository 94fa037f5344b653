/** The names of the precompiled contracts and of what they have, for code that chooses among them. */
import type { PRECOMPILE_ABIS } from './abis.ts'

/** A precompiled contract of the chain. */
export type PrecompileName = keyof typeof PRECOMPILE_ABIS

type Named<Name extends PrecompileName, Type extends string> = Extract<
  (typeof PRECOMPILE_ABIS)[Name][number],
  { readonly type: Type }
>['name']

/** A method of one precompiled contract. */
export type PrecompileFunction<Name extends PrecompileName> = Named<Name, 'function'>

/** An event of one precompiled contract; `never` where it has none. */
export type PrecompileEvent<Name extends PrecompileName> = Named<Name, 'event'>
