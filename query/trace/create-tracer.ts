/** Makes a tracer from its name and its options. */
import { queryFailed } from '../../app/errors.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { CallTracer } from './call-tracer.ts'
import { Erc7562Tracer } from './erc7562-tracer.ts'
import { FlatCallTracer } from './flat-call-tracer.ts'
import { FourByteTracer } from './four-byte-tracer.ts'
import { KeccakPreimageTracer } from './keccak-preimage-tracer.ts'
import { MuxTracer } from './mux-tracer.ts'
import { NoopTracer } from './noop-tracer.ts'
import { PrestateTracer } from './prestate-tracer.ts'
import { StructLogger } from './struct-logger.ts'
import type { Tracer, TraceScene } from './tracer.ts'

/** Throws query/1 with geth's text for a choice that it refuses. */
export const createTracer = (choice: TracerChoice, scene: TraceScene): Tracer => {
  switch (choice.name) {
    case 'structLogger':
      return new StructLogger(choice, scene)
    case 'callTracer':
      return new CallTracer(choice, scene)
    case 'erc7562Tracer':
      return new Erc7562Tracer(choice, scene)
    case 'flatCallTracer':
      return new FlatCallTracer(choice, scene)
    case 'prestateTracer':
      return new PrestateTracer(choice, scene)
    case '4byteTracer':
      return new FourByteTracer(scene)
    case 'keccak256PreimageTracer':
      return new KeccakPreimageTracer(scene)
    case 'noopTracer':
      return new NoopTracer()
    case 'muxTracer':
      return new MuxTracer(new Map(choice.tracers.map(({ as, tracer }) => [as, createTracer(tracer, scene)])))
    default:
      throw queryFailed(choice.message)
  }
}
