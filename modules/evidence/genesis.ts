/** The member `evidence` of app_state, in the SDK's form: `evidence`, a list of Equivocations with their type. */
import { fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { bytesToKey } from '../../core/bytes.ts'
import { failAt, parseArray, parseObject } from '../../core/parse.ts'
import { evidence } from '../../proto/index.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { parseConsensusAddress } from '../validator-addresses.ts'
import { EQUIVOCATION_URL, encodeEquivocation, equivocationFault, hashEquivocation } from './equivocation.ts'
import { listEvidence, writeEvidence } from './keeper.ts'

/** One for each validator that was ever tombstoned. */
const MAX_EVIDENCE = 1_000_000

const { EquivocationSchema } = evidence
const MEMBERS = ['@type', 'height', 'time', 'power', 'consensus_address'] as const

const parseEquivocation = (value: unknown, path: string): evidence.Equivocation => {
  const { '@type': type, ...members } = parseObject(value, path, MEMBERS)
  if (type !== EQUIVOCATION_URL) return failAt(`${path}.@type`, `must be ${EQUIVOCATION_URL}`)
  let equivocation: evidence.Equivocation
  try {
    // The library checks the form of every member.
    equivocation = fromJson(EquivocationSchema, members as JsonValue)
    parseConsensusAddress(equivocation.consensusAddress)
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
  const fault = equivocationFault(equivocation)
  return fault === undefined ? equivocation : failAt(path, fault)
}

/** Throws genesis/1 with the member at fault. */
export const parseEvidenceGenesis = (genesis: unknown, path = 'app_state.evidence'): evidence.Equivocation[] => {
  const object = parseObject(genesis ?? {}, path, ['evidence'])
  const seen = new Set<string>()
  return parseArray(object['evidence'], `${path}.evidence`, MAX_EVIDENCE).map((item, index) => {
    const at = `${path}.evidence[${index}]`
    const equivocation = parseEquivocation(item, at)
    const key = bytesToKey(hashEquivocation(equivocation))
    if (seen.has(key)) failAt(at, 'is there twice')
    seen.add(key)
    return equivocation
  })
}

export const initEvidenceGenesis = (state: StateWriter, equivocations: readonly evidence.Equivocation[]): void => {
  for (const equivocation of equivocations) {
    writeEvidence(state, hashEquivocation(equivocation), encodeEquivocation(equivocation))
  }
}

function* exportEvidence(state: StateReader) {
  for (const [, encoded] of listEvidence(state)) {
    const members = toJson(EquivocationSchema, fromBinary(EquivocationSchema, encoded), { useProtoFieldName: true })
    yield { '@type': EQUIVOCATION_URL, ...(members as { readonly [name: string]: JsonValue }) }
  }
}

/** The inverse. */
export const exportEvidenceGenesis = (state: StateReader) => ({ evidence: exportEvidence(state) })
