/** Events of slashing. */
import { makeEvent } from '../events.ts'
import type { Event } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'

export const liveness = (address: Uint8Array, missedBlocks: number, height: number): Event =>
  makeEvent('liveness', {
    address: formatConsensusAddress(address),
    missed_blocks: String(missedBlocks),
    height: String(height),
  })

/** Downtime names who is jailed in the same event. */
export const slashedForDowntime = (address: Uint8Array, power: bigint, burned: bigint): Event =>
  makeEvent('slash', {
    address: formatConsensusAddress(address),
    power: power.toString(),
    reason: 'missing_signature',
    jailed: formatConsensusAddress(address),
    burned_coins: burned.toString(),
  })

export const slashedForDoubleSign = (address: Uint8Array, power: bigint, burned: bigint): Event =>
  makeEvent('slash', {
    address: formatConsensusAddress(address),
    power: power.toString(),
    reason: 'double_sign',
    burned_coins: burned.toString(),
  })

export const jailed = (address: Uint8Array): Event => makeEvent('slash', { jailed: formatConsensusAddress(address) })
