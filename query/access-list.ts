/** eth_createAccessList: runs a call with the list that its last run touched, until the list stays the same. */
import { contractAddress } from '../core/address.ts'
import { MAX_UINT64 } from '../core/amounts.ts'
import { bigintToBytes, padLeft } from '../core/bytes.ts'
import { bytesToHex, type Hex, hexToBigint, hexToBytes, quantityToHex } from '../core/hex.ts'
import type { Hardfork, Message, StateAccess } from '../evm/engine.ts'
import { PRECOMPILE_ADDRESSES } from '../evm/precompile-addresses.ts'
import { NEW_ACCOUNT_GAS } from '../evm/transaction/intrinsic-gas.ts'
import { recoverAuthority } from '../evm/transaction/recover-authority.ts'
import type { AccessListEntry } from '../evm/transaction/transaction.ts'
import { Overlay } from '../store/overlay.ts'
import { queryFailed } from '../app/errors.ts'
import type { CallRequest, Questions } from '../app/ports.ts'
import { NATIVE_PRECOMPILE_ADDRESSES } from '../app/precompiles/index.ts'
import { cappedGas, openScene, runCall, type Scene } from './calls.ts'
import { withFeeDefaults } from './fee-defaults.ts'
import { toCallMessage } from './message.ts'
import { applyStateOverrides } from './overrides.ts'
import { unsignedHash } from './unsigned-transaction.ts'
import type { ChainView } from './chain-view.ts'
import { accessListJson, type Json } from './ethereum-json.ts'

/** Accounts and slots in the order in which they were touched first. */
class TouchedList {
  readonly #excluded: ReadonlySet<Hex>
  readonly #slots = new Map<Hex, Set<bigint>>()

  /** Accounts of `excluded` are warm in any case, and listing them would cost gas; their slots are not. */
  constructor(excluded: ReadonlySet<Hex>, list: readonly AccessListEntry[]) {
    this.#excluded = excluded
    for (const { address, storageKeys } of list) {
      this.note({ kind: 'account', address })
      for (const key of storageKeys) this.note({ kind: 'slot', address, slot: hexToBigint(bytesToHex(key)) })
    }
  }

  note(access: StateAccess): void {
    const address = bytesToHex(access.address)
    if (access.kind === 'account' && this.#excluded.has(address)) return
    let slots = this.#slots.get(address)
    if (slots === undefined) this.#slots.set(address, (slots = new Set()))
    if (access.kind === 'slot') slots.add(access.slot)
  }

  entries(): readonly AccessListEntry[] {
    return [...this.#slots].map(([address, slots]) => ({
      address: hexToBytes(address),
      storageKeys: [...slots].map((slot) => padLeft(bigintToBytes(slot), 32)),
    }))
  }

  equals(other: TouchedList): boolean {
    if (this.#slots.size !== other.#slots.size) return false
    for (const [address, slots] of this.#slots) {
      const others = other.#slots.get(address)
      if (others?.size !== slots.size) return false
      for (const slot of slots) if (!others.has(slot)) return false
    }
    return true
  }
}

/** Warm without a list: sender, receiver or new contract, precompiles, and the accounts that authorize (EIP-7702). */
const excludedFrom = (message: Message, chainId: bigint, hardfork: Hardfork): ReadonlySet<Hex> => {
  const { sender, to, nonce, authorizationList } = message
  const excluded = [sender, to ?? contractAddress(sender, nonce)]
  for (const authorization of authorizationList) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    const authority = authorization.nonce === MAX_UINT64 ? undefined : recoverAuthority(authorization)
    if (authority !== undefined) excluded.push(authority)
  }
  return new Set([...excluded, ...PRECOMPILE_ADDRESSES[hardfork], ...NATIVE_PRECOMPILE_ADDRESSES].map(bytesToHex))
}

interface Prepared {
  readonly scene: Scene
  /** The call with its fees. */
  readonly call: CallRequest
  readonly message: Message
}

/** What is refused, in geth's order. Overrides cannot move precompiles here: geth takes them for other accounts. */
const prepare = async (view: ChainView, question: Questions['createAccessList']): Promise<Prepared> => {
  const opened = await openScene(view, question.block)
  const { environment } = opened
  const state = new Overlay(opened.base)
  applyStateOverrides(state, environment.hardfork, question.stateOverrides, () => false)
  const call = withFeeDefaults(question.call, question.suggestedTip ?? '0x0', environment)
  const gasLimit = cappedGas(view, call)
  const given = toCallMessage(call, view.parameters.evmChainId, gasLimit)
  const nonce = call.nonce === undefined ? (state.account(given.sender)?.nonce ?? 0n) : given.nonce
  if (BigInt(given.authorizationList.length) > gasLimit / BigInt(NEW_ACCOUNT_GAS)) {
    throw queryFailed('insufficient gas to process all authorizations')
  }
  return { scene: { ...opened, base: state }, call, message: { ...given, nonce } }
}

/** The time limit of calls ends a program whose list never settles. */
export const createAccessList = async (view: ChainView, question: Questions['createAccessList']): Promise<Json> => {
  const { evmChainId } = view.parameters
  const { scene, call, message } = await prepare(view, question)
  const excluded = excludedFrom(message, evmChainId, scene.environment.hardfork)
  let last = new TouchedList(excluded, message.accessList)
  for (;;) {
    const accessList = last.entries()
    const touched = new TouchedList(excluded, accessList)
    const attempt = { ...message, accessList }
    const outcome = await runCall(view, scene, attempt, { onAccess: (access) => touched.note(access) })
    if (!outcome.valid) {
      const hash = bytesToHex(unsignedHash(attempt, call, evmChainId))
      throw queryFailed(`failed to apply transaction: ${hash} err: ${outcome.error.message}`)
    }
    if (touched.equals(last)) {
      const { failure, gasUsed } = outcome.result
      const error = failure === undefined ? {} : { error: failure.message }
      return { accessList: accessListJson(accessList), ...error, gasUsed: quantityToHex(gasUsed) }
    }
    last = touched
  }
}
