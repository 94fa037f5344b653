/** Our synchronous state as the library's asynchronous one: promises that are resolved already. */
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address } from '@ethereumjs/util'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { NativeEvent } from '../native-precompiles.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'

const DONE: Promise<void> = Promise.resolve()

const toAccount = ({ nonce, balance, storageRoot, codeHash }: AccountState): Account =>
  new Account(nonce, balance, storageRoot, codeHash)

export class EthereumjsState implements StateManagerInterface {
  #state: StateWriter | undefined
  /** Sum of all balance changes since {@link attach}: what is missing in it was burnt. */
  #balanceDelta = 0n
  /** The events of calls to native precompiles whose frames were not reverted. */
  readonly nativeEvents: NativeEvent[] = []
  /** What to go back to at every open checkpoint. */
  readonly #marks: { readonly balanceDelta: bigint; readonly nativeEvents: number }[] = []

  readonly originalStorageCache = {
    get: (address: Address, key: Uint8Array): Promise<Uint8Array> =>
      Promise.resolve(this.writer.originalStorage(address.bytes, key)),
    clear: (): void => undefined,
  }

  attach(state: StateWriter): void {
    invariant(this.#state === undefined, 'an EVM is used for two executions at once')
    this.#state = state
    this.#balanceDelta = 0n
    this.#marks.length = 0
    this.nativeEvents.length = 0
  }

  detach(): void {
    this.#state = undefined
  }

  /** Anat that left the supply since {@link attach}. */
  get burntAnat(): bigint {
    return -this.#balanceDelta
  }

  /** The state of the running execution. What is written to it here is no change of a balance by the EVM. */
  get writer(): StateWriter {
    invariant(this.#state !== undefined, 'the EVM runs without a state')
    return this.#state
  }

  /** Undoes what an execution that broke off left open. */
  revertAll(): void {
    while (this.#marks.pop() !== undefined) this.writer.revert()
  }

  getAccount(address: Address): Promise<Account | undefined> {
    const account = this.writer.account(address.bytes)
    return Promise.resolve(account === undefined ? undefined : toAccount(account))
  }

  putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    const { nonce, balance, storageRoot, codeHash } = account
    this.#set(address, { nonce, balance, storageRoot, codeHash })
    return DONE
  }

  deleteAccount(address: Address): Promise<void> {
    this.#set(address, undefined)
    return DONE
  }

  modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const held = this.writer.account(address.bytes) ?? EMPTY_ACCOUNT
    this.#set(address, {
      nonce: fields.nonce ?? held.nonce,
      balance: fields.balance ?? held.balance,
      storageRoot: fields.storageRoot ?? held.storageRoot,
      codeHash: fields.codeHash ?? held.codeHash,
    })
    return DONE
  }

  putCode(address: Address, value: Uint8Array): Promise<void> {
    const state = this.writer
    const codeHash = state.setCode(value)
    state.setAccount(address.bytes, { ...(state.account(address.bytes) ?? EMPTY_ACCOUNT), codeHash })
    return DONE
  }

  getCode(address: Address): Promise<Uint8Array> {
    return Promise.resolve(this.#code(address))
  }

  getCodeSize(address: Address): Promise<number> {
    return Promise.resolve(this.#code(address).length)
  }

  getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(this.writer.storage(address.bytes, key))
  }

  putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.writer.setStorage(address.bytes, key, value)
    return DONE
  }

  clearStorage(address: Address): Promise<void> {
    this.writer.clearStorage(address.bytes)
    return DONE
  }

  checkpoint(): Promise<void> {
    this.#marks.push({ balanceDelta: this.#balanceDelta, nativeEvents: this.nativeEvents.length })
    this.writer.checkpoint()
    return DONE
  }

  commit(): Promise<void> {
    this.#marks.pop()
    this.writer.commit()
    return DONE
  }

  revert(): Promise<void> {
    const mark = this.#marks.pop()
    this.#balanceDelta = mark?.balanceDelta ?? 0n
    this.nativeEvents.length = mark?.nativeEvents ?? 0
    this.writer.revert()
    return DONE
  }

  clearCaches(): void {
    // Nothing is cached here: the overlay is the cache.
  }

  getStateRoot(): Promise<Uint8Array> {
    return this.#noRoots()
  }

  setStateRoot(): Promise<void> {
    return this.#noRoots()
  }

  hasStateRoot(): Promise<boolean> {
    return this.#noRoots()
  }

  shallowCopy(): StateManagerInterface {
    return this.#noRoots()
  }

  #noRoots(): never {
    invariant(false, 'the EVM asked for a state root or a copy: it executes on one overlay only')
  }

  #code(address: Address): Uint8Array {
    const state = this.writer
    const account = state.account(address.bytes)
    return account === undefined ? EMPTY_BYTES : state.code(account.codeHash)
  }

  #set(address: Address, account: AccountState | undefined): void {
    const state = this.writer
    const before = state.account(address.bytes)?.balance ?? 0n
    this.#balanceDelta += (account?.balance ?? 0n) - before
    state.setAccount(address.bytes, account)
  }
}
