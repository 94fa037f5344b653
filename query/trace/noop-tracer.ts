/** geth's noopTracer: sees nothing. */
import type { Tracer } from './tracer.ts'

export class NoopTracer implements Tracer {
  readonly hooks = {}

  result(): string {
    return '{}'
  }
}
