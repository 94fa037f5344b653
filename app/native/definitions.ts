/** The definitions that may stand in a native transaction: the modules' messages, their contents and the keys. */
import { createRegistry, getOption, type DescFile, type DescMessage, type DescService } from '@bufbuild/protobuf'
import {
  ed25519,
  ethermintSecp256k1,
  ethermintWeb3Tx,
  ethSecp256k1,
  evmTx,
  messageOptions,
  multisig,
  secp256k1,
  web3Tx,
  web3TxTypes,
} from '../../proto/index.ts'
import { MODULES } from '../module-list.ts'

/** The services of modules, and the one that carries an Ethereum transaction where native tools show it. */
const MESSAGE_SERVICES: readonly DescService[] = [...MODULES.flatMap(({ services }) => services), evmTx.Msg].filter(
  (service) => getOption(service, messageOptions.service),
)

/** What stands packed in messages. */
const PACKED_FILES: readonly DescFile[] = MODULES.flatMap(({ packed = [] }) => packed)

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

const files = withImports([
  ...MESSAGE_SERVICES.map(({ file }) => file),
  ...PACKED_FILES,
  ...KEY_FILES,
  ...EXTENSION_FILES,
])
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
  MESSAGE_SERVICES.flatMap(({ methods }) => methods.map(({ input }) => [`/${input.typeName}`, input] as const)),
)
