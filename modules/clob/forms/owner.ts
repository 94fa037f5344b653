/** What state keeps of owners, of extensions and of proposers, as protobuf messages. */
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import { equalBytes, keyToBytes } from '../../../core/bytes.ts'
import { type clob, clobTx } from '../../../proto/index.ts'
import type { ClobAccount, Floor } from '../domain/account.ts'
import { BOTH_SIDES, SIDE_CODES } from '../domain/codes.ts'
import type { Side } from '../domain/order.ts'
import type { ProposerRecord } from '../domain/proposer.ts'
import type { HeightCap, OwnedAgent, QueuedAction } from '../keeper/index.ts'
import type { ListedId } from '../plan/types.ts'

export const sideForm = (side: Side | undefined): clob.Floor['side'] =>
  side === undefined ? BOTH_SIDES : SIDE_CODES[side]

const floorForm = ({ subaccount, market, side, nextSeq }: Floor) => ({
  ...(subaccount === undefined ? {} : { subaccount }),
  market,
  side: sideForm(side),
  nextSeq: BigInt(nextSeq),
})

export const accountForm = ({ openOrders, switchMs, floors }: ClobAccount) =>
  ({
    openOrders,
    switchMs: BigInt(switchMs),
    floors: floors.map(floorForm),
  }) satisfies MessageInitShape<typeof clob.AccountSchema>

export const agentForm = ({ address, agent }: OwnedAgent) =>
  ({
    address: encodeBech32(address),
    name: agent.name,
    expireS: BigInt(agent.expireS),
    markets: [...agent.markets],
  }) satisfies MessageInitShape<typeof clob.AgentSchema>

export const queuedForm = ({ owner, subaccount, action }: QueuedAction) =>
  ({
    owner: encodeBech32(owner),
    subaccount,
    action: fromBinary(clobTx.ActionSchema, action),
  }) satisfies MessageInitShape<typeof clob.QueuedActionSchema>

export const capForm = ({ height, capBytes }: HeightCap) =>
  ({ height: BigInt(height), capBytes }) satisfies MessageInitShape<typeof clob.CapSchema>

export const proposerForm = ({ stops, missingButWidelyAttested }: ProposerRecord) =>
  ({
    stops: BigInt(stops),
    missingButWidelyAttested: BigInt(missingButWidelyAttested),
  }) satisfies MessageInitShape<typeof clob.ProposerRecordSchema>

interface CarriedGroup {
  readonly age: number
  readonly salt: Uint8Array
  readonly ids: { readonly phase: number; readonly widelyAttested: boolean; readonly id: Uint8Array }[]
}

/** Ids that were attested at one height share age and salt. */
export const carriedForm = (carried: readonly ListedId[]): readonly CarriedGroup[] => {
  const groups: CarriedGroup[] = []
  for (const { age, salt, phase, isWidelyAttested, id } of carried) {
    let group = groups.at(-1)
    if (group === undefined || group.age !== age || !equalBytes(group.salt, salt)) {
      group = { age, salt, ids: [] }
      groups.push(group)
    }
    group.ids.push({ phase, widelyAttested: isWidelyAttested, id: keyToBytes(id) })
  }
  return groups
}
