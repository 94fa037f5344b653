/** Code as the interpreter runs it, analysed once for each hash. */
import type { Address } from '../../core/address.ts'
import { bytesToKey, EMPTY_BYTES } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { BoundedCache } from '../../store/cache.ts'
import type { StateReader } from '../../store/state.ts'
import { delegationOf } from '../delegation.ts'
import { OPCODE } from '../opcodes.ts'

const { JUMPDEST, PUSH1, PUSH32 } = OPCODE

/** Zeros behind the code: the STOP that ends it, and what a PUSH at its end reads. */
const PADDING_BYTES = 33

/** Bytes that the cache of analysed code may hold. */
const CACHE_BYTES = 32 * 1024 * 1024
/** A code in the cache takes so much memory beside its bytes. */
const ENTRY_BYTES = 512

/** Bytes of each instruction with its data, and whether it is a JUMPDEST: without branches, which random code defeats. */
const LENGTHS = Uint8Array.from({ length: 256 }, (_, opcode) =>
  opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1,
)
const IS_DESTINATION = Uint8Array.from({ length: 256 }, (_, opcode) => (opcode === JUMPDEST ? 1 : 0))

/** Marks the JUMPDESTs that are no data of a PUSH. */
const findJumpDestinations = (bytes: Uint8Array, length: number): Uint8Array => {
  const found = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const opcode = bytes[at] as number
    found[at] = IS_DESTINATION[opcode] as number
    at += LENGTHS[opcode] as number
  }
  return found
}

export class Code {
  /** The code, with zeros behind it. */
  readonly bytes: Uint8Array
  readonly view: DataView
  /** The length without them. */
  readonly length: number
  /** The account whose code runs instead (EIP-7702). */
  readonly delegate: Address | undefined
  #jumpDestinations: Uint8Array | undefined

  constructor(code: Uint8Array) {
    this.bytes = new Uint8Array(code.length + PADDING_BYTES)
    this.bytes.set(code)
    this.view = new DataView(this.bytes.buffer)
    this.length = code.length
    this.delegate = delegationOf(code)
  }

  /** 1 where a jump may go. Found when first asked for: much init code never jumps. */
  get jumpDestinations(): Uint8Array {
    return (this.#jumpDestinations ??= findJumpDestinations(this.bytes, this.length))
  }
}

export const NO_CODE = new Code(EMPTY_BYTES)

/** Analysed codes by their hash, bounded. One for each thread: code is the same in every state. */
export class CodeCache {
  readonly #codes = new BoundedCache<Code>(CACHE_BYTES, ({ length }) => 2 * length + ENTRY_BYTES)

  /** The caller has dealt with accounts without code. */
  get(state: StateReader, codeHash: Hash): Code {
    const key = bytesToKey(codeHash)
    const held = this.#codes.get(key)
    if (held !== undefined) return held
    const code = new Code(state.code(codeHash))
    this.#codes.set(key, code)
    return code
  }
}
