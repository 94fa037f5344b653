/** The native services that are served over REST and gRPC, and the types that may stand in a google.protobuf.Any. */
import { createRegistry, type DescFile, type DescMethod, type DescService, type Registry } from '@bufbuild/protobuf'
import {
  admissionQuery,
  admissionTx,
  auth,
  authQuery,
  authTx,
  bankQuery,
  bankTx,
  clobBatches,
  clobHistory,
  bridgeQuery,
  bridgeTx,
  clobLive,
  clobMsg,
  clobQuery,
  clobStream,
  cometQuery,
  consensusQuery,
  consensusTx,
  distribution,
  distributionQuery,
  distributionTx,
  ed25519,
  erc20Query,
  erc20Tx,
  ethermintSecp256k1,
  ethermintWeb3Tx,
  ethSecp256k1,
  evidence,
  evidenceQuery,
  evidenceTx,
  evmQuery,
  evmTx,
  feeMarketQuery,
  feeMarketTx,
  govBeta,
  govBetaQuery,
  govBetaTx,
  govQuery,
  govTx,
  grpcHealth,
  grpcReflection,
  grpcReflectionAlpha,
  mintQuery,
  mintTx,
  multisig,
  node,
  reflection,
  reflectionV2,
  secp256k1,
  slashingQuery,
  slashingTx,
  stakingQuery,
  stakingTx,
  tx,
  txService,
  upgrade,
  upgradeQuery,
  upgradeTx,
  weightQuery,
  weightTx,
  web3Tx,
  web3TxTypes,
} from '../../proto/index.ts'

/** Answered over REST, gRPC and gRPC-Web. */
export const NATIVE_SERVICES: readonly DescService[] = [
  authQuery.Query,
  bankQuery.Query,
  stakingQuery.Query,
  slashingQuery.Query,
  distributionQuery.Query,
  mintQuery.Query,
  govQuery.Query,
  govBetaQuery.Query,
  upgradeQuery.Query,
  evidenceQuery.Query,
  consensusQuery.Query,
  feeMarketQuery.Query,
  evmQuery.Query,
  admissionQuery.Query,
  bridgeQuery.Query,
  weightQuery.Query,
  clobQuery.Query,
  clobLive.Live,
  clobHistory.History,
  clobBatches.Batches,
  erc20Query.Query,
  txService.Service,
  node.Service,
  cometQuery.Service,
  reflection.ReflectionService,
  reflectionV2.ReflectionService,
]

/** Streams: over gRPC, and as subscriptions over WebSocket. */
export const STREAM_SERVICES: readonly DescService[] = [clobStream.Stream]

/** gRPC's own, of the server itself: answered over gRPC alone. */
export const SERVER_SERVICES: readonly DescService[] = [
  grpcHealth.Health,
  grpcReflection.ServerReflection,
  grpcReflectionAlpha.ServerReflection,
]

/** Their methods are the messages of transactions: shown by reflection, never called. */
export const MESSAGE_SERVICES: readonly DescService[] = [
  authTx.Msg,
  bankTx.Msg,
  stakingTx.Msg,
  slashingTx.Msg,
  distributionTx.Msg,
  mintTx.Msg,
  govTx.Msg,
  govBetaTx.Msg,
  upgradeTx.Msg,
  evidenceTx.Msg,
  consensusTx.Msg,
  feeMarketTx.Msg,
  admissionTx.Msg,
  bridgeTx.Msg,
  weightTx.Msg,
  clobMsg.Msg,
  erc20Tx.Msg,
]

/** The files of what stands in an Any: messages, accounts, keys, contents of proposals, evidence, transactions. */
export const PACKED_FILES: readonly DescFile[] = [
  ...MESSAGE_SERVICES.map(({ file }) => file),
  auth.file_cosmos_auth_v1beta1_auth,
  distribution.file_cosmos_distribution_v1beta1_distribution,
  ed25519.file_cosmos_crypto_ed25519_keys,
  ethermintSecp256k1.file_ethermint_crypto_v1_ethsecp256k1_keys,
  ethermintWeb3Tx.file_ethermint_types_v1_web3,
  ethSecp256k1.file_cosmos_evm_crypto_v1_ethsecp256k1_keys,
  web3Tx.file_cosmos_evm_eip712_v1_web3,
  web3TxTypes.file_cosmos_evm_types_v1_web3,
  evidence.file_cosmos_evidence_v1beta1_evidence,
  evmTx.file_cosmos_evm_vm_v1_tx,
  govBeta.file_cosmos_gov_v1beta1_gov,
  multisig.file_cosmos_crypto_multisig_keys,
  secp256k1.file_cosmos_crypto_secp256k1_keys,
  tx.file_cosmos_tx_v1beta1_tx,
  upgrade.file_cosmos_upgrade_v1beta1_upgrade,
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

/** Lists the files of services and of what may stand in an Any: reflection shows those too, and grpcurl prints them. */
export const filesOf = (services: readonly DescService[]): readonly DescFile[] =>
  withImports([...services.map((service) => service.file), ...PACKED_FILES])

export const createTypeRegistry = (services: readonly DescService[]): Registry => createRegistry(...filesOf(services))
