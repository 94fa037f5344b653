/** Names and options of tracers. What geth refuses here it refuses only once it has found what to trace. */
import type { TracerChoice } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import {
  arrayDecoder,
  decodeBoolean,
  decodeInt,
  type Decode,
  isObject,
  type Members,
  mismatch,
  optional,
  structDecoder,
} from './go-json.ts'
import { decodeUint64 } from './hex.ts'

/** The struct of a tracer's options, `native.callTracerConfig`: all of them are switches. */
const switchesDecoder = <Name extends string>(
  struct: string,
  names: readonly Name[],
): Decode<Record<Name, boolean>> => {
  const members = Object.fromEntries(names.map((name) => [name, decodeBoolean])) as Members<Record<Name, boolean>>
  const decode = structDecoder<Record<Name, boolean>>({ type: `native.${struct}`, name: struct, members })
  const off = Object.fromEntries(names.map((name) => [name, false])) as Record<Name, boolean>
  return (value, place) => ({ ...off, ...decode(value, place) })
}

const decodeCallTracer = switchesDecoder('callTracerConfig', ['onlyTopCall', 'withLog'])
const decodeFlatCallTracer = switchesDecoder('flatCallTracerConfig', ['convertParityErrors', 'includePrecompiles'])
const decodePrestateTracer = switchesDecoder('prestateTracerConfig', [
  'diffMode',
  'disableCode',
  'disableStorage',
  'includeEmpty',
])

const decodeErc7562Tracer = structDecoder({
  type: 'native.erc7562TracerConfig',
  name: 'erc7562TracerConfig',
  members: {
    // Read as geth reads it; it shows in no answer, there neither.
    stackTopItemsSize: decodeInt,
    ignoredOpcodes: optional(arrayDecoder('[]hexutil.Uint64', decodeUint64)),
    withLog: decodeBoolean,
  },
})

/** An opcode is a byte: Go cuts larger numbers to one. */
const toOpcode = (number: string): number => Number(BigInt.asUintN(8, BigInt(number)))

const readErc7562Tracer = (config: unknown): TracerChoice => {
  const { ignoredOpcodes, withLog = false } = decodeErc7562Tracer(config, '')
  return {
    name: 'erc7562Tracer',
    withLog,
    ignoredOpcodes: ignoredOpcodes && [...new Set(ignoredOpcodes.map(toOpcode))],
  }
}

const refuse = (message: string): TracerChoice => ({ name: 'refused', message })

const readPrestateTracer = (config: unknown): TracerChoice => {
  const options = decodePrestateTracer(config, '')
  if (options.diffMode && options.includeEmpty) return refuse('cannot use diffMode with includeEmpty')
  return { name: 'prestateTracer', ...options }
}

/** A muxTracer may stand so deep in others. Geth has no limit; here every step would go through all of them. */
const MAX_MUX_DEPTH = 8

const readMuxTracer = (config: unknown, depth: number): TracerChoice => {
  if (depth > MAX_MUX_DEPTH) return refuse(`muxTracer is nested more than ${MAX_MUX_DEPTH} times`)
  if (config === null) return { name: 'muxTracer', tracers: [] }
  if (!isObject(config)) throw mismatch(config, '', 'map[string]json.RawMessage')
  const tracers = Object.entries(config).map(([as, options]) => ({ as, tracer: readTracer(as, options, depth) }))
  return tracers.find(({ tracer }) => tracer.name === 'refused')?.tracer ?? { name: 'muxTracer', tracers }
}

/** The programs in JavaScript that geth brings along. */
const PROGRAMS: ReadonlySet<string> = new Set([
  '4byteTracerLegacy',
  'bigramTracer',
  'callTracerLegacy',
  'evmdisTracer',
  'noopTracerLegacy',
  'opcountTracer',
  'prestateTracerLegacy',
  'trigramTracer',
  'unigramTracer',
])

/** geth takes every other name for a program in JavaScript; this node runs none. */
const refuseProgram = (program: string): TracerChoice => {
  if (program === '') return refuse('SyntaxError: SyntaxError: (anonymous): Line 1:3 Unexpected token )')
  if (!PROGRAMS.has(program) && /^[A-Za-z_$][\w$]*$/.test(program))
    return refuse(`ReferenceError: ${program} is not defined at <eval>:1:2(0)`)
  return refuse('tracers in JavaScript are not supported')
}

const readKnown = (name: string, config: unknown, depth: number): TracerChoice => {
  switch (name) {
    case 'callTracer':
      return { name, ...decodeCallTracer(config, '') }
    case 'erc7562Tracer':
      return readErc7562Tracer(config)
    case 'flatCallTracer':
      return { name, ...decodeFlatCallTracer(config, '') }
    case 'prestateTracer':
      return readPrestateTracer(config)
    case 'muxTracer':
      return readMuxTracer(config, depth + 1)
    case '4byteTracer':
    case 'keccak256PreimageTracer':
    case 'noopTracer':
      return { name }
    default:
      return refuseProgram(name)
  }
}

/** `config` is what `tracerConfig` holds; null when it is left out. `depth` counts the muxTracers around this one. */
export const readTracer = (name: string, config: unknown, depth = 0): TracerChoice => {
  try {
    return readKnown(name, config, depth)
  } catch (error) {
    if (error instanceof CodedError) return refuse(error.message)
    throw error
  }
}
