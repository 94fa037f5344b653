/** The plan of modules/clob, asked in the form of the cases. */
import { bytesToKey, bytesToUnprefixedHex as hex, keyToBytes } from '../../../core/bytes.ts'
import { decodeAttestations } from '../../../modules/clob/plan/attestation-bytes.ts'
import { type Body, fits } from '../../../modules/clob/plan/ids.ts'
import { obligations } from '../../../modules/clob/plan/obligations.ts'
import { runPlan } from '../../../modules/clob/plan/run-plan.ts'
import type { ListedId } from '../../../modules/clob/plan/types.ts'
import type { ClobBody, Phase } from '../../../modules/clob/orders/clob-tx.ts'
import { type PlanAnswer, type PlanCase, votesOf } from './cases.ts'
import type { NaiveBody, NaiveId } from './naive.ts'

export const toBody = ({ hash, length, weight }: NaiveBody): Body => {
  const known = { raw: new Uint8Array(length), hash: new Uint8Array(Buffer.from(hash, 'hex')) }
  // A plan never looks at what the order says.
  const body = weight === null ? undefined : ({ ...known, weight, phase: 0 } as unknown as ClobBody)
  return { ...known, body }
}

export const toListed = ({ id, phase, salt, age, isWide }: NaiveId): ListedId => ({
  id: bytesToKey(new Uint8Array(Buffer.from(id, 'hex'))),
  phase: phase as Phase,
  salt: new Uint8Array(Buffer.from(salt, 'hex')),
  age,
  isWidelyAttested: isWide,
})

export const idText = (key: string): string => hex(keyToBytes(key))

export const fromListed = ({ id, phase, salt, age, isWidelyAttested }: ListedId): NaiveId => ({
  id: idText(id),
  phase,
  salt: hex(salt),
  age,
  isWide: isWidelyAttested,
})

/** The answer of modules/clob/plan. */
export const fastAnswer = (given: PlanCase): PlanAnswer => {
  const votes = votesOf(given).map(({ power, attestations }) => ({
    power,
    attestations: decodeAttestations(attestations) ?? [],
  }))
  const found = obligations(votes, {
    totalPower: BigInt(given.totalPower),
    timeOfHMs: given.timeOfHMs,
    bucketMs: given.bucketMs,
    salt: new Uint8Array(Buffer.from(given.salt, 'hex')),
  })
  const injected = given.injected.map(toBody)
  const plan = runPlan(
    [...given.carried.map(toListed), ...found],
    given.block.map(toBody),
    (listed) => injected.find((body) => fits(body, listed)),
    { shareBytes: given.shareBytes, weight: given.weight },
  )
  const isValid = !('fault' in plan)
  return {
    obligations: found.map(({ id, phase, timeMs, isWidelyAttested }) => ({
      id: idText(id),
      phase,
      timeMs,
      isWide: isWidelyAttested,
    })),
    isValid,
    taken: isValid ? plan.taken.map(({ listed }) => idText(listed.id)) : [],
    missing: isValid && plan.missing !== undefined ? idText(plan.missing.id) : null,
    carried: isValid ? plan.carried.map(fromListed) : [],
  }
}
