/** The modules of a chain, made from their list. */
import type { Module } from '../../modules/module.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { MODULES } from '../module-list.ts'
import { createPorts, type PortsOptions } from './module-ports.ts'

export interface ChainModules {
  /** The modules in the order of their genesis; module-order.ts has that of their hooks. */
  readonly modules: readonly Module[]
  /** Why this software must not execute block `nextHeight`, in words for the operator. */
  haltReason(state: StateReader, nextHeight: number): string | undefined
}

export const createChainModules = (options: PortsOptions): ChainModules => {
  const ports = createPorts(options, () => modules)
  const modules: readonly Module[] = MODULES.map(({ create, ...description }) => ({ ...description, ...create(ports) }))
  return {
    modules,
    haltReason: (state, nextHeight) => {
      for (const module of modules) {
        const reason = module.haltReason?.(state, nextHeight)
        if (reason !== undefined) return reason
      }
      return undefined
    },
  }
}

/** `committedHeight` is left out where a context is always that of the head. */
export const createModules = (store: KeyValueStore, committedHeight?: () => number): readonly Module[] =>
  createChainModules({ store, committedHeight }).modules
