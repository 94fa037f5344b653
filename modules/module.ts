/**
 * The port between the block lifecycle and the native modules: a module is one object, and all that the node knows of it
 * stands there. A module never imports another module. See README.md.
 */
import type { DescFile, DescService } from '@bufbuild/protobuf'
import type { Address } from '../core/address.ts'
import type { ErrorTable } from '../core/error-table.ts'
import type { StateReader, StateWriter } from '../store/state.ts'
import type { ContractCalls } from './contracts.ts'
import type { ModuleHooks } from './hooks.ts'

export interface EventAttribute {
  readonly key: string
  readonly value: string
  /** Whether CometBFT's indexer keeps it. Set once more at the end of the transaction: `markSearched`. */
  index: boolean
}

/** A native event, as `tx_search` and `/subscribe` of CometBFT show it. */
export interface Event {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

/** A change of the validator set, in force two heights later (ABCI: FinalizeBlock). Power 0 removes. */
export interface ValidatorUpdate {
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array
  readonly power: bigint
}

/** A vote of the last commit. ABCI names validators by address only. */
export interface CommitVote {
  readonly validatorAddress: Uint8Array
  readonly power: bigint
  readonly flag: 'absent' | 'commit' | 'nil'
}

export interface Misbehavior {
  readonly type: 'unknown' | 'duplicate-vote' | 'light-client-attack'
  readonly validatorAddress: Uint8Array
  readonly power: bigint
  readonly height: number
  readonly timeNs: bigint
  readonly totalPower: bigint
}

/** What a module can see and do while a block runs. Everything in it comes from the block or from state. */
export interface ModuleContext {
  readonly state: StateWriter
  readonly height: number
  /** Time of the block, nanoseconds since 1970. */
  readonly timeNs: bigint
  readonly chainId: string
  emit(event: Event): void
  /**
   * Consumes gas beside the flat price of a message (app/native/gas.ts). Throws sdk/11 beyond the transaction's limit.
   * Absent where nobody pays, which is at the beginning and the end of a block: whoever works there bounds it.
   */
  consumeGas?(amount: bigint, what: string): void
}

export interface BlockContext extends ModuleContext {
  readonly proposerAddress: Uint8Array
  readonly lastCommit: readonly CommitVote[]
  readonly misbehavior: readonly Misbehavior[]
}

export interface EndBlockContext extends BlockContext {
  /** The gas limit of this block: a parameter that it changes is for the next one. */
  readonly gasLimit: bigint
  /**
   * Gas used by both transaction families in this block, and what the weight above it stands for (app/block/priced-gas.ts): how
   * full it was, at most the limit.
   */
  readonly pricedGas: bigint
}

/** What a message can see and do: what it emits gets the message's index, and all that it does has a price. */
export interface MessageContext extends ModuleContext {
  /** Does what {@link ModuleContext.consumeGas} does, and is always there. */
  consumeGas(amount: bigint, what: string): void
  /** Absent where a proposal of governance executes it: nobody there pays for code. */
  readonly contracts?: ContractCalls
}

/** A native message: decoded from protobuf, checked without state, then executed. Its signers are its definition's. */
export interface MessageHandler {
  /** Such as `/cosmos.bank.v1beta1.MsgSend`. */
  readonly typeUrl: string
  /** The bytes hold no field that the definition does not know. */
  decode(bytes: Uint8Array): unknown
  /** Checks what needs no state, and returns what `execute` takes: once, however often it is executed. Throws a CodedError. */
  prepare(message: unknown): unknown
  /** Throws a CodedError: everything it wrote is undone. Returns the encoded response. */
  execute(context: MessageContext, prepared: unknown): Uint8Array
}

export interface QueryContext {
  readonly state: StateReader
  readonly height: number
  readonly chainId: string
}

/** A read-only method of a gRPC service. */
export interface QueryHandler {
  /** Such as `/cosmos.bank.v1beta1.Query/Balance`. */
  readonly path: string
  /** It reads so much that a worker answers it, and never the thread that executes blocks. */
  readonly isHeavy?: true
  /** Takes and gives the protobuf encodings. Throws a CodedError. */
  query(context: QueryContext, request: Uint8Array): Uint8Array
}

/** A property that must hold after every block. Returns what is wrong, or undefined. */
export interface Invariant {
  readonly name: string
  /**
   * Not asked of block 0: what is not yet so there and does no harm later, and what takes too long for a large genesis.
   */
  readonly isNotOfGenesis?: true
  check(context: QueryContext): string | undefined
}

/** What the SDK lets an account of a module do with coins beside holding them. */
export type AccountPermission = 'burner' | 'minter' | 'staking'

/** An account that nobody has a key of: sha256(name)[0..20], as the SDK has it. */
export interface ModuleAccount {
  readonly name: string
  readonly permissions: readonly AccountPermission[]
}

/** What a parser of a genesis needs of the rest of the node. */
export interface GenesisChecks {
  /** What is wrong with the public key of an account, in words. */
  checkKey(address: Address, key: { readonly typeUrl: string; readonly value: Uint8Array }): string | undefined
}

/** What a module says of itself: known before there is a chain. */
export interface ModuleDescription {
  /** Names its system account and the member of the genesis file's app_state. */
  readonly name: string
  /** The permissions of its system account. */
  readonly permissions?: readonly AccountPermission[]
  /** Where it keeps coins beside its system account. */
  readonly accounts?: readonly ModuleAccount[]
  /** Its Query and Msg services: their methods are those of `queries` and `messages`. */
  readonly services: readonly DescService[]
  /** Definitions of what stands packed in a google.protobuf.Any of its messages and answers, beside messages. */
  readonly packed?: readonly DescFile[]
  /** The errors of the codespace that has its name. */
  readonly errors?: ErrorTable
  /** Lists of its genesis whose lengths an export states, so that a file that was cut short is found out. */
  readonly countedLists?: readonly string[]
  /**
   * Parses its part of the genesis file, and looks at nothing else: so a wrong file is refused before the chain starts.
   * Throws genesis/1 with the member at fault.
   */
  parseGenesis(genesis: unknown, checks: GenesisChecks): unknown
}

/** What a module does on a chain. */
export interface ModuleParts {
  /**
   * Parses and writes its part of the genesis file. Throws a CodedError that names the member at fault. Staking returns
   * the first validators.
   */
  initGenesis(context: ModuleContext, genesis: unknown): readonly ValidatorUpdate[] | void
  /** The inverse of initGenesis, as JSON; a long list may be an iterable, which is written item by item. */
  exportGenesis(context: QueryContext): unknown
  readonly hooks?: ModuleHooks
  readonly messages: readonly MessageHandler[]
  readonly queries: readonly QueryHandler[]
  readonly invariants: readonly Invariant[]
  /** Why this software must not execute block `nextHeight`, in words for the operator. Asked after Commit and at start. */
  haltReason?(state: StateReader, nextHeight: number): string | undefined
}

/** The one object that a module's folder gives away. `Needs` is what it needs of the rest of the node: its deps.ts. */
export interface ModuleDefinition<Needs, Parts extends ModuleParts = ModuleParts> extends ModuleDescription {
  create(needs: Needs): Parts
}

/** A module of a chain: its definition with what it does there. */
export interface Module extends ModuleDescription, ModuleParts {}
