/** geth's prestateTracer: the accounts and slots that a message names, as they were before it, or what it changed. */
import { type Address, contractAddress, contractAddress2, toAddress } from '../../core/address.ts'
import { bigintToBytes, EMPTY_BYTES, equalBytes, padLeft } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH, type Hash } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { delegationOf } from '../../evm/delegation.ts'
import type { StateAccess, Step } from '../../evm/engine.ts'
import { FRAME_KINDS, OPCODE } from '../../evm/opcodes.ts'
import { accountOperand } from '../../evm/state-access.ts'
import { recoverAuthority } from '../../evm/transaction/recover-authority.ts'
import { type AccountState, EMPTY_ACCOUNT } from '../../store/state.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { bigWordHex, mapText, wordHex } from './json-text.ts'
import { paddedMemory } from './memory.ts'
import type { TraceHooks, Tracer, TraceScene } from './tracer.ts'

type Options = Extract<TracerChoice, { readonly name: 'prestateTracer' }>

const { SLOAD, SSTORE, CREATE, CREATE2, SELFDESTRUCT } = OPCODE

const ZERO_WORD = bigWordHex(0n)
/** What an account and a slot take in JSON beside the code. */
const ACCOUNT_BYTES = 320
const SLOT_BYTES = 140

/** Undefined members are not shown. */
interface Shown {
  readonly balance?: bigint | undefined
  readonly code?: Uint8Array | undefined
  readonly codeHash?: Hash | undefined
  readonly nonce?: bigint | undefined
  readonly storage: ReadonlyMap<Hex, Hex>
}

interface Held extends Shown {
  readonly balance: bigint
  readonly nonce: bigint
  /** The code hash; an account without code has none. */
  readonly codeHash: Hash | undefined
  readonly code: Uint8Array
  readonly storage: Map<Hex, Hex>
  /** True where nothing was there before the message. */
  readonly isEmpty: boolean
}

interface Named {
  readonly address: Address
  readonly account: AccountState
}

const codeHashOf = ({ codeHash }: AccountState): Hash | undefined =>
  equalBytes(codeHash, EMPTY_CODE_HASH) ? undefined : codeHash

const hexOf = (hash: Hash | undefined): Hex => (hash === undefined ? ZERO_WORD : bytesToHex(hash))

/** Members in geth's order. */
const shownText = ({ balance, code, codeHash, nonce, storage }: Shown): string => {
  const members: string[] = []
  if (balance !== undefined) members.push(`"balance":"${quantityToHex(balance)}"`)
  if (code !== undefined && code.length > 0) members.push(`"code":"${bytesToHex(code)}"`)
  if (codeHash !== undefined) members.push(`"codeHash":"${bytesToHex(codeHash)}"`)
  if (nonce !== undefined && nonce !== 0n) members.push(`"nonce":${nonce}`)
  if (storage.size > 0) members.push(`"storage":${mapText([...storage].map(([slot, value]) => [slot, `"${value}"`]))}`)
  return `{${members.join(',')}}`
}

const accountsText = (accounts: ReadonlyMap<Hex, Shown>): string =>
  mapText([...accounts].map(([address, account]) => [address, shownText(account)]))

export class PrestateTracer implements Tracer {
  readonly #options: Options
  readonly #scene: TraceScene
  readonly #before = new Map<Hex, Held>()
  readonly #after = new Map<Hex, Shown>()
  readonly #created = new Set<Hex>()
  readonly #deleted = new Set<Hex>()
  /** An account that the running instruction names: of what the instruction does to it nothing is in here yet. */
  #named: Named | undefined
  readonly hooks: TraceHooks = {
    onAccess: (access) => this.#access(access),
    onStep: (step) => this.#step(step),
    stepsOf: (opcode) =>
      opcode === SLOAD ||
      opcode === SSTORE ||
      opcode === CREATE ||
      opcode === CREATE2 ||
      accountOperand(opcode) !== undefined,
    memoryOf: (opcode) => opcode === CREATE2,
  }

  constructor(options: Options, scene: TraceScene) {
    this.#options = options
    this.#scene = scene
    const { message, environment, to } = scene
    if (message.to === undefined) this.#created.add(bytesToHex(to))
    else this.#lookDelegate(to)
    this.#look(message.sender)
    this.#look(to)
    this.#look(environment.coinbase)
    for (const authorization of message.authorizationList) {
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) this.#look(authority)
    }
  }

  end(): void {
    if (this.#options.diffMode) this.#compare()
    if (this.#options.includeEmpty) return
    for (const [address, { isEmpty }] of this.#before) if (isEmpty) this.#before.delete(address)
  }

  result(): string {
    const before = accountsText(this.#before)
    return this.#options.diffMode ? `{"post":${accountsText(this.#after)},"pre":${before}}` : before
  }

  #account(address: Address): AccountState {
    return this.#scene.state.account(address) ?? EMPTY_ACCOUNT
  }

  #access(access: StateAccess): void {
    if (access.kind === 'slot') return
    this.#named = { address: access.address, account: this.#account(access.address) }
  }

  #step(step: Step): void {
    this.#scene.budget.step()
    const named = this.#named
    this.#named = undefined
    if (step.failure !== undefined) return
    const { opcode, stack, address } = step
    if (opcode === SLOAD || opcode === SSTORE) {
      if (stack.length > 0) this.#lookSlot(address, bigWordHex(stack.at(-1) ?? 0n), step.slotValue ?? EMPTY_BYTES)
    } else if (opcode === CREATE) this.#lookCreated(contractAddress(address, this.#account(address).nonce))
    else if (opcode === CREATE2) this.#lookCreated2(step)
    else this.#lookOperand(step, named)
  }

  #lookOperand({ opcode, stack, address }: Step, before: Named | undefined): void {
    const operand = accountOperand(opcode)
    if (operand === undefined || stack.length < operand.minStack) return
    const word = stack.at(-1 - operand.position) ?? 0n
    const named = toAddress(padLeft(bigintToBytes(BigInt.asUintN(160, word)), 20))
    this.#look(named, before !== undefined && equalBytes(before.address, named) ? before.account : undefined)
    const self = bytesToHex(address)
    if (opcode === SELFDESTRUCT && this.#created.has(self)) this.#deleted.add(self)
    if (FRAME_KINDS.has(opcode)) this.#lookDelegate(named)
  }

  #lookCreated2({ stack, memory, address }: Step): void {
    if (stack.length < 4) return
    // What it hashes can be large.
    this.#scene.budget.checkTime()
    const [salt = 0n, size = 0n, offset = 0n] = stack.slice(-4, -1)
    const init = paddedMemory(memory, offset, size)
    if (init !== undefined) this.#lookCreated(contractAddress2(address, padLeft(bigintToBytes(salt), 32), init))
  }

  #lookCreated(address: Address): void {
    this.#look(address)
    this.#created.add(bytesToHex(address))
  }

  /** EIP-7702. */
  #lookDelegate(address: Address): void {
    if (this.#scene.environment.hardfork === 'cancun') return
    const delegate = delegationOf(this.#scene.state.code(this.#account(address).codeHash))
    if (delegate !== undefined) this.#look(delegate)
  }

  #look(address: Address, before?: AccountState): void {
    const name = bytesToHex(address)
    if (this.#before.has(name)) return
    const account = before ?? this.#account(address)
    const { balance, nonce } = account
    const codeHash = codeHashOf(account)
    const code = codeHash === undefined ? EMPTY_BYTES : this.#scene.state.code(codeHash)
    const isEmpty = nonce === 0n && balance === 0n && code.length === 0
    const shownCode = this.#options.disableCode ? EMPTY_BYTES : code
    this.#scene.budget.takeBytes(ACCOUNT_BYTES + 2 * shownCode.length)
    this.#before.set(name, { balance, nonce, codeHash, code: shownCode, storage: new Map(), isEmpty })
  }

  #lookSlot(address: Address, slot: Hex, value: Uint8Array): void {
    if (this.#options.disableStorage) return
    this.#look(address)
    const storage = this.#before.get(bytesToHex(address))?.storage
    if (storage === undefined || storage.has(slot)) return
    this.#scene.budget.takeBytes(SLOT_BYTES)
    storage.set(slot, wordHex(value))
  }

  /** Leaves in `before` what the message changed, and in `after` what it changed it to. */
  #compare(): void {
    for (const [name, held] of this.#before) {
      if (this.#deleted.has(name)) continue
      const changed = this.#changesOf(hexToBytes(name), held)
      if (changed === undefined) this.#before.delete(name)
      else this.#after.set(name, changed)
    }
  }

  #changesOf(address: Address, held: Held): Shown | undefined {
    const account = this.#account(address)
    const codeHash = codeHashOf(account)
    const storage = this.#changedSlots(address, held)
    const code = codeHash === undefined ? EMPTY_BYTES : this.#scene.state.code(codeHash)
    const changed = {
      balance: account.balance === held.balance ? undefined : account.balance,
      nonce: account.nonce === held.nonce ? undefined : account.nonce,
      codeHash: hexOf(codeHash) === hexOf(held.codeHash) ? undefined : (codeHash ?? new Uint8Array(32)),
      code: this.#options.disableCode || equalBytes(code, held.code) ? undefined : code,
    }
    if (!storage.isChanged && Object.values(changed).every((member) => member === undefined)) return undefined
    return { ...changed, storage: storage.after }
  }

  #changedSlots(address: Address, { storage }: Held): { isChanged: boolean; after: Map<Hex, Hex> } {
    const after = new Map<Hex, Hex>()
    let isChanged = false
    for (const [slot, value] of storage) {
      const now = wordHex(this.#scene.state.storage(address, hexToBytes(slot)))
      if (value === ZERO_WORD || value === now) storage.delete(slot)
      if (value === now) continue
      isChanged = true
      if (now !== ZERO_WORD) after.set(slot, now)
    }
    return { isChanged, after }
  }
}
