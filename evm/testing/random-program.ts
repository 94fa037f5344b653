/** For tests: random code that reaches deep into an EVM, for most of it runs without failing at once. */
import { bigintToBytes, concatBytes, padLeft } from '../../core/bytes.ts'
import type { Pick } from '../../store/testing/seeded-random.ts'
import { minStack, OPCODE } from '../opcodes.ts'

const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  31n,
  32n,
  33n,
  255n,
  256n,
  0xffff_ffffn,
  1n << 32n,
  (1n << 53n) - 1n,
  1n << 53n,
  (1n << 64n) - 1n,
  1n << 64n,
  1n << 128n,
  (1n << 255n) - 1n,
  1n << 255n,
  (1n << 256n) - 32n,
  (1n << 256n) - 1n,
]

/** The instructions from one to another. */
const run = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const PURE = [...run(OPCODE.ADD, OPCODE.SIGNEXTEND), ...run(OPCODE.LT, OPCODE.CLZ)]
const { ADDRESS, ORIGIN, CALLER, CALLVALUE, CALLDATASIZE, CODESIZE, GASPRICE, RETURNDATASIZE, BLOBBASEFEE } = OPCODE
const VIEWS = [
  ...[ADDRESS, ORIGIN, CALLER, CALLVALUE, CALLDATASIZE, CODESIZE, GASPRICE, RETURNDATASIZE],
  ...run(OPCODE.COINBASE, OPCODE.BASEFEE),
  ...[BLOBBASEFEE, OPCODE.PC, OPCODE.MSIZE, OPCODE.GAS],
]

const push = (value: bigint): Uint8Array => {
  const bytes = bigintToBytes(value)
  return concatBytes(Uint8Array.of(OPCODE.PUSH0 + bytes.length), bytes)
}

export interface ProgramWorld {
  /** That calls may go to: contracts, precompiles, accounts that are not there. */
  readonly addresses: readonly Uint8Array[]
}

export class ProgramWriter {
  readonly #pick: Pick
  readonly #world: ProgramWorld

  constructor(pick: Pick, world: ProgramWorld) {
    this.#pick = pick
    this.#world = world
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#pick(256))
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.#pick(items.length)] as Item
  }

  value(): bigint {
    switch (this.#pick(4)) {
      case 0:
        return this.one(EDGES)
      case 1:
        return BigInt(this.#pick(300))
      default:
        return this.bytes(1 + this.#pick(32)).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    }
  }

  /** Mostly within some hundred bytes; now and then far away. */
  #offset(): Uint8Array {
    return push(this.#pick(60) === 0 ? this.value() : BigInt(this.#pick(this.#pick(4) === 0 ? 5_000 : 200)))
  }

  #size(): Uint8Array {
    return push(this.#pick(60) === 0 ? this.value() : BigInt(this.#pick(this.#pick(6) === 0 ? 2_000 : 100)))
  }

  #slot(): Uint8Array {
    return push(this.#pick(5) === 0 ? this.value() : BigInt(this.#pick(4)))
  }

  #address(): Uint8Array {
    if (this.#pick(30) === 0) return push(this.value())
    return concatBytes(Uint8Array.of(OPCODE.PUSH20), padLeft(this.one(this.#world.addresses), 20))
  }

  #gas(): Uint8Array {
    switch (this.#pick(4)) {
      case 0:
        return push(BigInt(this.#pick(30_000)))
      case 1:
        return push(this.value())
      default:
        return Uint8Array.of(OPCODE.GAS)
    }
  }

  /** The last operand pushed is the first of the instruction. */
  #operation(opcode: number, ...operands: readonly Uint8Array[]): Uint8Array {
    return concatBytes(...operands.toReversed(), Uint8Array.of(opcode))
  }

  #pure(): Uint8Array {
    const opcode = this.one(PURE)
    return this.#operation(opcode, ...Array.from({ length: minStack(opcode) }, () => push(this.value())))
  }

  #memory(): Uint8Array {
    switch (this.#pick(8)) {
      case 0:
        return this.#operation(OPCODE.MLOAD, this.#offset())
      case 1:
        return this.#operation(OPCODE.MSTORE, this.#offset(), push(this.value()))
      case 2:
        return this.#operation(OPCODE.MSTORE8, this.#offset(), push(this.value()))
      case 3:
        return this.#operation(OPCODE.MCOPY, this.#offset(), this.#offset(), this.#size())
      case 4:
        return this.#operation(OPCODE.KECCAK256, this.#offset(), this.#size())
      case 5:
        return this.#operation(
          this.one([OPCODE.CALLDATACOPY, OPCODE.CODECOPY]),
          this.#offset(),
          this.#offset(),
          this.#size(),
        )
      case 6:
        return this.#operation(OPCODE.EXTCODECOPY, this.#address(), this.#offset(), this.#offset(), this.#size())
      default:
        // All of the return data, or some that may not be there.
        return this.#pick(5) === 0
          ? this.#operation(
              OPCODE.RETURNDATACOPY,
              this.#offset(),
              push(BigInt(this.#pick(33))),
              push(BigInt(this.#pick(34))),
            )
          : this.#operation(
              OPCODE.RETURNDATACOPY,
              this.#offset(),
              Uint8Array.of(OPCODE.PUSH0),
              Uint8Array.of(OPCODE.RETURNDATASIZE),
            )
    }
  }

  #state(): Uint8Array {
    switch (this.#pick(7)) {
      case 0:
        return this.#operation(OPCODE.SLOAD, this.#slot())
      case 1:
      case 2:
        return this.#operation(OPCODE.SSTORE, this.#slot(), push(BigInt(this.#pick(3))))
      case 3:
        return this.#operation(OPCODE.TLOAD, this.#slot())
      case 4:
        return this.#operation(OPCODE.TSTORE, this.#slot(), push(this.value()))
      case 5:
        return this.#operation(this.one([OPCODE.BALANCE, OPCODE.EXTCODESIZE, OPCODE.EXTCODEHASH]), this.#address())
      default:
        return this.#operation(
          this.one([OPCODE.CALLDATALOAD, OPCODE.BLOCKHASH, OPCODE.BLOBHASH]),
          push(this.#pick(2) === 0 ? 5n : this.value()),
        )
    }
  }

  #log(): Uint8Array {
    const topics = this.#pick(5)
    const operands = Array.from({ length: topics }, () => push(this.value()))
    return this.#operation(OPCODE.LOG0 + topics, this.#offset(), this.#size(), ...operands)
  }

  #call(): Uint8Array {
    const value = this.#pick(3) === 0 ? [push(BigInt(this.#pick(5)))] : [Uint8Array.of(OPCODE.PUSH0)]
    const kind = this.one([
      OPCODE.CALL,
      OPCODE.CALL,
      OPCODE.CALL,
      OPCODE.CALLCODE,
      OPCODE.DELEGATECALL,
      OPCODE.STATICCALL,
    ])
    const memory = [this.#offset(), this.#size(), this.#offset(), this.#size()]
    const paid = kind === OPCODE.CALL || kind === OPCODE.CALLCODE ? value : []
    return this.#operation(kind, this.#gas(), this.#address(), ...paid, ...memory)
  }

  /** Writes init code into memory and creates with it; most of it returns code. */
  #create(depth: number): Uint8Array {
    const initCode =
      this.#pick(3) === 0 ? this.program(depth + 1) : concatBytes(this.program(depth + 1), this.#returned())
    const head = initCode.subarray(0, 32)
    const word = new Uint8Array(32)
    word.set(head)
    const value = push(BigInt(this.#pick(3)))
    const size = push(BigInt(head.length))
    const store = concatBytes(Uint8Array.of(OPCODE.PUSH32), word, Uint8Array.of(OPCODE.PUSH0, OPCODE.MSTORE))
    const create =
      this.#pick(2) === 0
        ? this.#operation(OPCODE.CREATE, value, Uint8Array.of(OPCODE.PUSH0), size)
        : this.#operation(OPCODE.CREATE2, value, Uint8Array.of(OPCODE.PUSH0), size, push(BigInt(this.#pick(2))))
    return concatBytes(store, create)
  }

  #returned(): Uint8Array {
    return this.#operation(OPCODE.RETURN, push(BigInt(this.#pick(64))), push(BigInt(this.#pick(64))))
  }

  #stack(): Uint8Array {
    const depth = this.#pick(this.#pick(6) === 0 ? 16 : 4)
    return Uint8Array.of(this.one([OPCODE.DUP1 + depth, OPCODE.SWAP1 + depth, OPCODE.POP, OPCODE.POP]))
  }

  #end(): Uint8Array {
    switch (this.#pick(6)) {
      case 0:
        return this.#operation(OPCODE.REVERT, this.#offset(), this.#size())
      case 1:
        return this.#operation(
          OPCODE.SELFDESTRUCT,
          this.#pick(3) === 0 ? Uint8Array.of(OPCODE.ADDRESS) : this.#address(),
        )
      case 2:
        return this.bytes(1)
      case 3:
        return Uint8Array.of(OPCODE.STOP)
      default:
        return this.#operation(OPCODE.RETURN, this.#offset(), this.#size())
    }
  }

  /** Skips what follows, or runs it, by the value before. */
  #branch(part: Uint8Array, at: number): Uint8Array {
    const condition = this.one([
      Uint8Array.of(OPCODE.PUSH0),
      push(1n),
      Uint8Array.of(OPCODE.DUP1),
      Uint8Array.of(OPCODE.CALLVALUE),
    ])
    const target = at + condition.length + 4 + part.length
    const jump = Uint8Array.of(OPCODE.PUSH2, target >> 8, target & 0xff, OPCODE.JUMPI)
    return concatBytes(condition, jump, part, Uint8Array.of(OPCODE.JUMPDEST))
  }

  #statement(depth: number): Uint8Array {
    const kind = this.#pick(100)
    if (kind < 26) return this.#pure()
    if (kind < 36) return Uint8Array.of(this.one(VIEWS))
    if (kind < 52) return this.#memory()
    if (kind < 70) return this.#state()
    if (kind < 76) return this.#log()
    if (kind < 86) return this.#call()
    if (kind < 90 && depth < 2) return this.#create(depth)
    if (kind < 98) return this.#stack()
    return kind < 99 ? this.bytes(1 + this.#pick(3)) : this.#end()
  }

  program(depth = 0): Uint8Array {
    const parts: Uint8Array[] = []
    let length = 0
    const append = (part: Uint8Array): void => {
      parts.push(part)
      length += part.length
    }
    // A loop back to the start, which gas ends.
    const loops = this.#pick(12) === 0
    if (loops) append(Uint8Array.of(OPCODE.JUMPDEST))
    for (let items = this.#pick(6); items > 0; items--) append(push(this.value()))
    for (let left = 1 + this.#pick(depth === 0 ? 30 : 6); left > 0; left--) {
      const statement = this.#statement(depth)
      append(this.#pick(8) === 0 ? this.#branch(statement, length) : statement)
    }
    if (loops) append(Uint8Array.of(OPCODE.PUSH0, OPCODE.JUMP))
    else if (this.#pick(4) > 0) append(this.#end())
    return concatBytes(...parts)
  }
}
