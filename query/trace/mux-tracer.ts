/** geth's muxTracer: several tracers at once. */
import type { ExecutionResult } from '../../evm/engine.ts'
import { mapText } from './json-text.ts'
import type { TraceHooks, Tracer } from './tracer.ts'

type Hook<Name extends keyof TraceHooks> = Extract<TraceHooks[Name], (...args: never) => void>

export class MuxTracer implements Tracer {
  readonly #tracers: ReadonlyMap<string, Tracer>
  readonly hooks: TraceHooks

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    this.hooks = joinHooks([...tracers.values()].map(({ hooks }) => hooks))
  }

  end(result: ExecutionResult): void {
    for (const tracer of this.#tracers.values()) tracer.end?.(result)
  }

  result(): string {
    return mapText([...this.#tracers].map(([name, tracer]) => [name, tracer.result()]))
  }
}

const joinHooks = (all: readonly TraceHooks[]): TraceHooks => {
  const listeners = all.filter(({ onStep }) => onStep !== undefined)
  const steps: TraceHooks =
    listeners.length === 0
      ? {}
      : {
          onStep: (step) => {
            for (const { onStep, stepsOf } of listeners) if (stepsOf?.(step.opcode) !== false) onStep?.(step)
          },
          stepsOf: (opcode) => listeners.some(({ stepsOf }) => stepsOf?.(opcode) !== false),
          memoryOf: (opcode) => listeners.some(({ memoryOf }) => memoryOf?.(opcode) !== false),
        }
  return {
    ...steps,
    ...joined(all, 'onAccess'),
    ...joined(all, 'onEnter'),
    ...joined(all, 'onExit'),
    ...joined(all, 'onLog'),
    ...joined(all, 'onSelfDestruct'),
  }
}

/** One hook for those that have it, or none. */
const joined = <Name extends 'onAccess' | 'onEnter' | 'onExit' | 'onLog' | 'onSelfDestruct'>(
  all: readonly TraceHooks[],
  name: Name,
): Pick<TraceHooks, Name> | Record<never, never> => {
  type Listener = (...args: Parameters<Hook<Name>>) => void
  const listeners = all.flatMap((hooks) => (hooks[name] === undefined ? [] : [hooks[name] as Listener]))
  if (listeners.length === 0) return {}
  return {
    [name]: (...args: Parameters<Hook<Name>>) => {
      for (const listener of listeners) listener(...args)
    },
  }
}
