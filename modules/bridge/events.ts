/** Events of the bridge. */
import { encodeBech32 } from '../../core/bech32.ts'
import type { BridgeContract, BridgeEvent } from '../../core/bridge-event.ts'
import { bytesToHex } from '../../core/hex.ts'
import { makeEvent } from '../events.ts'
import type { Coin } from '../ledger.ts'
import type { Event } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import type { StoredRoot, StoredSet } from './way-back-record.ts'
import type { WithdrawalRequest } from './wire.ts'

export const eventAccepted = ({ id }: BridgeEvent, hash: Uint8Array): Event =>
  makeEvent('bridge_accept', { id: String(id), hash: bytesToHex(hash) })

export const eventCredited = ({ id, recipient, from }: BridgeEvent, { amount, denom }: Coin): Event =>
  makeEvent('bridge_credit', {
    id: String(id),
    recipient: encodeBech32(recipient),
    amount: `${amount}${denom}`,
    from: bytesToHex(from),
  })

export const eventRefused = (id: number, reason: string): Event =>
  makeEvent('bridge_refuse', { id: String(id), reason })

/** The validator acknowledged another hash by this id before. */
export const contradicted = (id: number, validator: Uint8Array): Event =>
  makeEvent('bridge_contradiction', { id: String(id), validator: formatConsensusAddress(validator) })

/** Governance completed the event, or rejected it. */
export const eventCompleted = (id: number): Event => makeEvent('bridge_complete', { id: String(id) })
export const eventRejected = (id: number, reason: string): Event =>
  makeEvent('bridge_reject', { id: String(id), reason })

/** Events are counted from `nextId` on. */
export const contractChanged = (contract: Uint8Array | undefined, nextId: number): Event =>
  makeEvent('bridge_contract', {
    contract: contract === undefined ? '' : bytesToHex(contract),
    next_id: String(nextId),
  })

export const coinsWithdrawn = (
  id: number,
  { sender, recipient, coin: { amount, denom } }: WithdrawalRequest,
  { address }: BridgeContract,
): Event =>
  makeEvent('bridge_withdraw', {
    id: String(id),
    sender: encodeBech32(sender),
    recipient: bytesToHex(recipient),
    amount: `${amount}${denom}`,
    contract: bytesToHex(address),
  })

export const keyRegistered = (validator: Uint8Array, address: Uint8Array): Event =>
  makeEvent('bridge_key', { validator: formatConsensusAddress(validator), address: bytesToHex(address) })

/** Withdrawals below `size` can be released. */
export const rootSigned = ({ root, size, nonce }: StoredRoot): Event =>
  makeEvent('bridge_root_signed', { root: bytesToHex(root), size: String(size), set_nonce: String(nonce) })

export const setProposed = ({ nonce, members, threshold }: Pick<StoredSet, 'nonce' | 'members' | 'threshold'>): Event =>
  makeEvent('bridge_set', { nonce: String(nonce), members: String(members.length), threshold: String(threshold) })

/** The contract takes it from now on. */
export const setSigned = (nonce: number): Event => makeEvent('bridge_set_signed', { nonce: String(nonce) })

/** Its vote brought a signature that adds nothing; its signatures are looked at again from a block on. */
export const signatureUseless = (validator: Uint8Array, until: number): Event =>
  makeEvent('bridge_signature_useless', { validator: formatConsensusAddress(validator), until: String(until) })
