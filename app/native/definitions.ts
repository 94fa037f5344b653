/** The definitions that may stand in a native transaction: the modules' messages, their contents and the keys. */
import { createRegistry, getOption, type DescFile, type DescMessage } from '@bufbuild/protobuf'
import {
  admissionTx,
  authTx,
  bankTx,
  consensusTx,
  distributionTx,
  ed25519,
  ethermintSecp256k1,
  ethermintWeb3Tx,
  ethSecp256k1,
  evidence,
  evidenceTx,
  evmTx,
  feeMarketTx,
  govBetaTx,
  govTx,
  messageOptions,
  mintTx,
  multisig,
  secp256k1,
  slashingTx,
  stakingTx,
  upgradeTx,
  web3Tx,
  web3TxTypes,
  weightTx,
} from '../../proto/index.ts'

const TRANSACTION_FILES: readonly DescFile[] = [
  admissionTx.file_nat_admission_v1_tx,
  authTx.file_cosmos_auth_v1beta1_tx,
  bankTx.file_cosmos_bank_v1beta1_tx,
  consensusTx.file_cosmos_consensus_v1_tx,
  distributionTx.file_cosmos_distribution_v1beta1_tx,
  evidenceTx.file_cosmos_evidence_v1beta1_tx,
  evmTx.file_cosmos_evm_vm_v1_tx,
  feeMarketTx.file_cosmos_evm_feemarket_v1_tx,
  govBetaTx.file_cosmos_gov_v1beta1_tx,
  govTx.file_cosmos_gov_v1_tx,
  mintTx.file_cosmos_mint_v1beta1_tx,
  slashingTx.file_cosmos_slashing_v1beta1_tx,
  stakingTx.file_cosmos_staking_v1beta1_tx,
  upgradeTx.file_cosmos_upgrade_v1beta1_tx,
  weightTx.file_nat_weight_v1_tx,
]

/** What stands packed in messages. */
const CONTENT_FILES: readonly DescFile[] = [evidence.file_cosmos_evidence_v1beta1_evidence]

const KEY_FILES: readonly DescFile[] = [
  ed25519.file_cosmos_crypto_ed25519_keys,
  ethermintSecp256k1.file_ethermint_crypto_v1_ethsecp256k1_keys,
  ethSecp256k1.file_cosmos_evm_crypto_v1_ethsecp256k1_keys,
  multisig.file_cosmos_crypto_multisig_keys,
  secp256k1.file_cosmos_crypto_secp256k1_keys,
]

/** One extension option under its three names. */
const EXTENSION_FILES: readonly DescFile[] = [
  ethermintWeb3Tx.file_ethermint_types_v1_web3,
  web3Tx.file_cosmos_evm_eip712_v1_web3,
  web3TxTypes.file_cosmos_evm_types_v1_web3,
]

const withImports = (files: readonly DescFile[]): readonly DescFile[] => {
  const all = new Set<DescFile>()
  const add = (file: DescFile): void => {
    if (all.has(file)) return
    all.add(file)
    for (const imported of file.dependencies) add(imported)
  }
  for (const file of files) add(file)
  return [...all]
}

const files = withImports([...TRANSACTION_FILES, ...CONTENT_FILES, ...KEY_FILES, ...EXTENSION_FILES])
const registry = createRegistry(...files)

/** All of them. Options are slow to read, so what is needed of them is read once from here. */
export const DEFINITIONS: readonly DescMessage[] = files.flatMap(({ messages }) => messages)

/** The definition behind a type URL: a slash and the full name, nothing before it. */
export const findDefinition = (typeUrl: string): DescMessage | undefined =>
  typeUrl.startsWith('/') ? registry.getMessage(typeUrl.slice(1)) : undefined

/** Type URLs of ExtensionOptionsWeb3Tx. */
export const WEB3_EXTENSIONS: readonly string[] = EXTENSION_FILES.flatMap(({ messages }) =>
  messages.map(({ typeName }) => `/${typeName}`),
)

/** What a transaction may carry: the requests of the services that are marked as Msg services. */
export const TRANSACTION_MESSAGES: ReadonlyMap<string, DescMessage> = new Map(
  TRANSACTION_FILES.flatMap((file) => file.services)
    .filter((service) => getOption(service, messageOptions.service))
    .flatMap((service) => service.methods.map(({ input }) => [`/${input.typeName}`, input] as const)),
)
