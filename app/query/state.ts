/** Balances, nonces, code and storage at a height. */
import { EMPTY_BYTES, padLeft } from '../../core/bytes.ts'
import { bytesToHex, type Hex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import type { StateReader } from '../../store/state.ts'
import type { BlockReference, Questions } from '../ports.ts'
import { pendingState } from './pending.ts'
import { isPending, requireHeight, type View } from './view.ts'

/** Reads at once where the block is committed; only `pending` has to execute something first. */
const read = <Value>(
  view: View,
  block: BlockReference,
  reader: (state: StateReader) => Value,
): Value | Promise<Value> =>
  isPending(block)
    ? pendingState(view).then(({ state }) => reader(state))
    : reader(view.stateAt(requireHeight(view, block)))

export const balance = (view: View, { address, block }: Questions['balance']): string | Promise<string> =>
  read(view, block, (state) => quantityToHex(state.account(hexToBytes(address))?.balance ?? 0n))

export const transactionCount = (
  view: View,
  { address, block }: Questions['transactionCount'],
): string | Promise<string> =>
  read(view, block, (state) => quantityToHex(state.account(hexToBytes(address))?.nonce ?? 0n))

export const code = (view: View, { address, block }: Questions['code']): Hex | Promise<Hex> =>
  read(view, block, (state) => {
    const account = state.account(hexToBytes(address))
    return bytesToHex(account === undefined ? EMPTY_BYTES : state.code(account.codeHash))
  })

export const storage = (view: View, { address, slot, block }: Questions['storage']): Hex | Promise<Hex> =>
  read(view, block, (state) => bytesToHex(padLeft(state.storage(hexToBytes(address), hexToBytes(slot)), 32)))
