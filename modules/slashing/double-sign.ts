/** What the evidence of a double sign brings: the port that the evidence module asks for. */
import type { StateReader } from '../../store/state.ts'
import type { ModuleContext } from '../module.ts'
import type { SlashingDependencies } from './deps.ts'
import { slashingError } from './errors.ts'
import { jailed, slashedForDoubleSign } from './events.ts'
import { readParams, readSigningInfo, writeSigningInfo } from './keeper/signing-info.ts'

export interface DoubleSignPunisher {
  /** Undefined without a signing info. */
  isTombstoned(state: StateReader, consensusAddress: Uint8Array): boolean | undefined
  /** Takes the fraction of a double sign. Emits slash(address, power, reason, burned_coins). */
  slash(context: ModuleContext, consensusAddress: Uint8Array, infractionHeight: number, power: bigint): void
  /** It is not jailed yet. Emits slash(jailed). */
  jail(context: ModuleContext, consensusAddress: Uint8Array): void
  /** Throws slashing/8 without a signing info. */
  jailUntil(context: ModuleContext, consensusAddress: Uint8Array, timeNs: bigint): void
  /** It can never come back. Throws slashing/8, and slashing/9 when it is tombstoned already. */
  tombstone(context: ModuleContext, consensusAddress: Uint8Array): void
}

export const createDoubleSignPunisher = ({ punisher }: SlashingDependencies): DoubleSignPunisher => ({
  isTombstoned: (state, address) => readSigningInfo(state, address)?.tombstoned,
  slash: (context, address, infractionHeight, power) => {
    const { slashFractionDoubleSign } = readParams(context.state)
    const burned = punisher.slash(context, address, infractionHeight, power, slashFractionDoubleSign)
    context.emit(slashedForDoubleSign(address, power, burned))
  },
  jail: (context, address) => {
    punisher.jail(context, address)
    context.emit(jailed(address))
  },
  jailUntil: ({ state }, address, jailedUntilNs) => {
    const info = readSigningInfo(state, address)
    if (info === undefined) {
      throw slashingError('noSigningInfo', 'cannot jail validator that does not have any signing information')
    }
    writeSigningInfo(state, address, { ...info, jailedUntilNs })
  },
  tombstone: ({ state }, address) => {
    const info = readSigningInfo(state, address)
    if (info === undefined) {
      throw slashingError('noSigningInfo', 'cannot tombstone validator that does not have any signing information')
    }
    if (info.tombstoned) {
      throw slashingError('alreadyTombstoned', 'cannot tombstone validator that is already tombstoned')
    }
    writeSigningInfo(state, address, { ...info, tombstoned: true })
  },
})
