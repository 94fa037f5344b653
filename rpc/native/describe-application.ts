/**
 * cosmos.base.reflection: what the application is made of, told from its definitions. v1beta1 names interfaces and
 * what implements them, v2alpha1 the chain, its codec, sign modes, queries and messages.
 */
import {
  create,
  fromBinary,
  getOption,
  hasOption,
  toBinary,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import type { Head } from '../../app/ports.ts'
import { BECH32_PREFIX } from '../../core/amounts.ts'
import { CodedError } from '../../core/errors.ts'
import {
  ed25519,
  ethSecp256k1,
  evidence,
  multisig,
  reflection,
  reflectionV2,
  scalarOptions,
  secp256k1,
  tx,
  txSigning,
} from '../../proto/index.ts'
import { invalidArgument } from './parse-parameter.ts'
import { MESSAGE_SERVICES, methodPath, PACKED_FILES } from './services.ts'
import { GRPC } from '../grpc/status.ts'

type Interfaces = ReadonlyMap<string, readonly DescMessage[]>

const MESSAGE_INTERFACE = 'cosmos.base.v1beta1.Msg'

/**
 * The interfaces by the names that the SDK gives them: some are options of the definitions, the others stand in its
 * code.
 */
const findInterfaces = (): Interfaces => {
  const methods = MESSAGE_SERVICES.flatMap((service) => service.methods)
  const interfaces = new Map<string, DescMessage[]>([
    [MESSAGE_INTERFACE, methods.map(({ input }) => input)],
    ['cosmos.tx.v1beta1.MsgResponse', methods.map(({ output }) => output)],
    ['cosmos.tx.v1beta1.Tx', [tx.TxSchema]],
    [
      'cosmos.crypto.PubKey',
      [
        ed25519.PubKeySchema,
        ethSecp256k1.PubKeySchema,
        multisig.LegacyAminoPubKeySchema,
        secp256k1.PubKeySchema,
      ] as DescMessage[],
    ],
    ['cosmos.evidence.v1beta1.Evidence', [evidence.EquivocationSchema]],
  ])
  for (const message of PACKED_FILES.flatMap((file) => file.messages)) {
    if (!hasOption(message, scalarOptions.implements_interface)) continue
    for (const name of getOption(message, scalarOptions.implements_interface)) {
      interfaces.set(name, [...(interfaces.get(name) ?? []), message])
    }
  }
  return new Map([...interfaces].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const typeUrl = (message: DescMessage): string => `/${message.typeName}`

type Answer = (request: Uint8Array, head: Head) => Buffer

const serve = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  answer: (request: MessageShape<Input>, head: Head) => MessageInitShape<Output>,
): readonly [string, Answer] => [
  methodPath(method),
  (request, head) => {
    const { input, output } = method
    return Buffer.from(toBinary(output, create(output, answer(readRequest(input, request), head))))
  },
]

/** Throws grpc/3. */
const readRequest = <Input extends DescMessage>(input: Input, request: Uint8Array): MessageShape<Input> => {
  try {
    return fromBinary(input, request, { readUnknownFields: false })
  } catch {
    throw invalidArgument('malformed request')
  }
}

const signModes = () => {
  const { DIRECT, LEGACY_AMINO_JSON } = txSigning.SignMode
  return txSigning.SignModeSchema.values
    .filter(({ number }) => number === DIRECT || number === LEGACY_AMINO_JSON)
    .map(({ name, number }) => ({ name, number, authnInfoProviderMethodFullname: '' }))
}

const describeServices = (services: readonly DescService[]) =>
  services.map(({ typeName, methods }) => ({
    fullname: typeName,
    isModule: typeName.endsWith('.Query'),
    methods: methods.map((method) => ({ name: method.name, fullQueryPath: methodPath(method) })),
  }))

export interface Descriptions {
  /** Undefined for a method of another service. Throws grpc/5 for an interface that is not known. */
  answer(path: string, request: Uint8Array, head: Head): Buffer | undefined
}

export const createDescriptions = (services: readonly DescService[]): Descriptions => {
  const interfaces = findInterfaces()
  const { method: names } = reflection.ReflectionService
  const { method: parts } = reflectionV2.ReflectionService

  const implementers = (name: string): readonly DescMessage[] => {
    const found = interfaces.get(name)
    if (found !== undefined) return found
    throw new CodedError('grpc', GRPC.notFound, `no such interface: ${JSON.stringify(name.slice(0, 100))}`)
  }
  const describeInterfaces = () =>
    [...interfaces].map(([fullname, messages]) => ({
      fullname,
      interfaceImplementers: messages.map((each) => ({ fullname: each.typeName, typeUrl: typeUrl(each) })),
    }))

  const answers: ReadonlyMap<string, Answer> = new Map([
    serve(names.listAllInterfaces, () => ({ interfaceNames: [...interfaces.keys()] })),
    serve(names.listImplementations, ({ interfaceName }) => ({
      implementationMessageNames: implementers(interfaceName).map(typeUrl),
    })),
    serve(parts.getAuthnDescriptor, () => ({ authn: { signModes: signModes() } })),
    serve(parts.getChainDescriptor, (_, { chainId }) => ({ chain: { id: chainId } })),
    serve(parts.getCodecDescriptor, () => ({ codec: { interfaces: describeInterfaces() } })),
    serve(parts.getConfigurationDescriptor, () => ({ config: { bech32AccountAddressPrefix: BECH32_PREFIX } })),
    serve(parts.getQueryServicesDescriptor, () => ({ queries: { queryServices: describeServices(services) } })),
    serve(parts.getTxDescriptor, () => ({
      tx: {
        fullname: tx.TxSchema.typeName,
        msgs: implementers(MESSAGE_INTERFACE).map((each) => ({ msgTypeUrl: typeUrl(each) })),
      },
    })),
  ])
  return { answer: (path, request, head) => answers.get(path)?.(request, head) }
}
