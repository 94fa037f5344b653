import { fromBinary } from '@bufbuild/protobuf'
import { equalBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { evidence } from '../../proto/index.ts'
import type { Module } from '../module.ts'
import { parseConsensusAddress } from '../validator-addresses.ts'
import type { EvidenceDependencies } from './deps.ts'
import { hashEquivocation } from './equivocation.ts'
import { exportEvidenceGenesis, initEvidenceGenesis, parseEvidenceGenesis } from './genesis.ts'
import { listEvidence } from './keeper.ts'
import { handleMisbehavior } from './misbehavior.ts'
import { evidenceQueries } from './queries.ts'
import { submitEvidence } from './submit-evidence.ts'

export const createEvidenceModule = (dependencies: EvidenceDependencies): Module => ({
  name: 'evidence',
  initGenesis: ({ state }, genesis) => initEvidenceGenesis(state, parseEvidenceGenesis(genesis)),
  exportGenesis: ({ state }) => exportEvidenceGenesis(state),
  beginBlock: (context) => handleMisbehavior(context, dependencies),
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
})
