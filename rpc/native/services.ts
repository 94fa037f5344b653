/** The native query services that are served over REST and gRPC, and the types that may stand in a google.protobuf.Any. */
import { createRegistry, type DescFile, type DescMethod, type DescService, type Registry } from '@bufbuild/protobuf'
import {
  auth,
  authQuery,
  authTx,
  bankQuery,
  bankTx,
  cometQuery,
  distributionTx,
  ed25519,
  ethermintSecp256k1,
  ethSecp256k1,
  evidenceTx,
  evmTx,
  govBeta,
  govBetaTx,
  govTx,
  multisig,
  node,
  secp256k1,
  slashingTx,
  stakingTx,
  tx,
  txService,
  upgradeTx,
} from '../../proto/index.ts'

export const NATIVE_SERVICES: readonly DescService[] = [
  authQuery.Query,
  bankQuery.Query,
  txService.Service,
  node.Service,
  cometQuery.Service,
]

/** Of what stands in an Any: accounts, keys, transactions and their messages. */
const PACKED_FILES: readonly DescFile[] = [
  auth.file_cosmos_auth_v1beta1_auth,
  authTx.file_cosmos_auth_v1beta1_tx,
  bankTx.file_cosmos_bank_v1beta1_tx,
  distributionTx.file_cosmos_distribution_v1beta1_tx,
  ed25519.file_cosmos_crypto_ed25519_keys,
  ethermintSecp256k1.file_ethermint_crypto_v1_ethsecp256k1_keys,
  ethSecp256k1.file_cosmos_evm_crypto_v1_ethsecp256k1_keys,
  evidenceTx.file_cosmos_evidence_v1beta1_tx,
  evmTx.file_cosmos_evm_vm_v1_tx,
  govBeta.file_cosmos_gov_v1beta1_gov,
  govBetaTx.file_cosmos_gov_v1beta1_tx,
  govTx.file_cosmos_gov_v1_tx,
  multisig.file_cosmos_crypto_multisig_keys,
  secp256k1.file_cosmos_crypto_secp256k1_keys,
  slashingTx.file_cosmos_slashing_v1beta1_tx,
  stakingTx.file_cosmos_staking_v1beta1_tx,
  tx.file_cosmos_tx_v1beta1_tx,
  upgradeTx.file_cosmos_upgrade_v1beta1_tx,
]

export const methodPath = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`

/** Files with all that they import, each once and behind its imports. */
export const withImports = (files: Iterable<DescFile>): readonly DescFile[] => {
  const all = new Set<DescFile>()
  const add = (file: DescFile): void => {
    if (all.has(file)) return
    for (const dependency of file.dependencies) add(dependency)
    all.add(file)
  }
  for (const file of files) add(file)
  return [...all]
}

/** With the files of what may stand in an Any: reflection shows those too, and grpcurl prints them. */
export const filesOf = (services: readonly DescService[]): readonly DescFile[] =>
  withImports([...services.map((service) => service.file), ...PACKED_FILES])

export const createTypeRegistry = (services: readonly DescService[]): Registry => createRegistry(...filesOf(services))
