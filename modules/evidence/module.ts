import { fromBinary } from '@bufbuild/protobuf'
import { equalBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { evidence, evidenceQuery, evidenceTx } from '../../proto/index.ts'
import type { ModuleDefinition } from '../module.ts'
import { parseConsensusAddress } from '../validator-addresses.ts'
import type { EvidenceDependencies } from './deps.ts'
import { EVIDENCE_ERRORS } from './errors.ts'
import { hashEquivocation } from './equivocation.ts'
import { exportEvidenceGenesis, initEvidenceGenesis, parseEvidenceGenesis } from './genesis.ts'
import { listEvidence } from './keeper.ts'
import { handleMisbehavior } from './misbehavior.ts'
import { evidenceQueries } from './queries.ts'
import { submitEvidence } from './messages/submit-evidence.ts'

export const evidenceModule: ModuleDefinition<EvidenceDependencies> = {
  name: 'evidence',
  services: [evidenceQuery.Query, evidenceTx.Msg],
  packed: [evidence.file_cosmos_evidence_v1beta1_evidence],
  errors: EVIDENCE_ERRORS,
  parseGenesis: (genesis) => parseEvidenceGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initEvidenceGenesis(state, parseEvidenceGenesis(genesis)),
    exportGenesis: ({ state }) => exportEvidenceGenesis(state),
    hooks: { beginBlock: { phase: 'punish', run: (context) => handleMisbehavior(context, dependencies) } },
    messages: [submitEvidence],
    queries: evidenceQueries,
    invariants: [
      {
        name: 'evidence/proven-are-tombstoned',
        check: ({ state }) => {
          for (const [hash, encoded] of listEvidence(state)) {
            const equivocation = fromBinary(evidence.EquivocationSchema, encoded)
            if (!equalBytes(hashEquivocation(equivocation), hash))
              return `${bytesToHex(hash)} is not the hash of its value`
            const address = parseConsensusAddress(equivocation.consensusAddress)
            if (dependencies.doubleSigns.isTombstoned(state, address) !== true) {
              return `${equivocation.consensusAddress} signed twice and is not tombstoned`
            }
          }
          return undefined
        },
      },
    ],
  }),
}
