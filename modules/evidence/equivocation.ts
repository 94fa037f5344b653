/** The one kind of evidence: a validator signed two blocks of one height, or helped to deceive a light client. */
import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { sha256 } from '../../core/hash.ts'
import { evidence } from '../../proto/index.ts'
import type { Misbehavior } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'

type Equivocation = evidence.Equivocation

export const EQUIVOCATION_URL = `/${evidence.EquivocationSchema.typeName}`
/** The SDK's name of its handler. */
export const EQUIVOCATION_ROUTE = 'equivocation'

const NS_PER_SECOND = 1_000_000_000n

export const toEquivocation = ({ height, timeNs, power, validatorAddress }: Misbehavior): Equivocation =>
  create(evidence.EquivocationSchema, {
    height: BigInt(height),
    time: { seconds: timeNs / NS_PER_SECOND, nanos: Number(timeNs % NS_PER_SECOND) },
    power,
    consensusAddress: formatConsensusAddress(validatorAddress),
  })

export const encodeEquivocation = (equivocation: Equivocation): Uint8Array =>
  toBinary(evidence.EquivocationSchema, equivocation)

/** sha256 of the encoding, by which evidence is found. */
export const hashEquivocation = (equivocation: Equivocation): Uint8Array => sha256(encodeEquivocation(equivocation))

export const packEquivocation = (value: Uint8Array): Any => create(AnySchema, { typeUrl: EQUIVOCATION_URL, value })

/** What is wrong, in the SDK's words. */
export const equivocationFault = ({ height, time, power, consensusAddress }: Equivocation): string | undefined => {
  if (time === undefined || time.seconds <= 0n) return 'invalid equivocation time'
  if (height < 1n) return `invalid equivocation height: ${height}`
  if (power < 1n) return `invalid equivocation validator power: ${power}`
  if (consensusAddress === '') return 'invalid equivocation validator consensus address: '
  return undefined
}
