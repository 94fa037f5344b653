/**
 * gRPC server reflection (v1 and v1alpha), so that grpcurl and its like need no .proto files. The messages are few and
 * small, and are read and written by field number; see grpc/reflection/v1/reflection.proto.
 */
import { toBinary, type DescFile, type DescService } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { StreamMethod } from '../grpc/methods.ts'
import { invalidArgument } from './parse-parameter.ts'
import { filesOf, SERVER_SERVICES, withImports } from './services.ts'
import { GRPC } from '../grpc/status.ts'

const VERSIONS = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'] as const

/** Field numbers of ServerReflectionRequest. */
const REQUEST = { fileByFilename: 3, fileContainingSymbol: 4, listServices: 7 } as const
/** Field numbers of ServerReflectionResponse. */
const RESPONSE = { originalRequest: 2, files: 4, services: 6, error: 7 } as const

const readRequest = (bytes: Uint8Array): { readonly kind: number; readonly text: string } => {
  const reader = new BinaryReader(bytes)
  let found = { kind: 0, text: '' }
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (wireType === WireType.LengthDelimited && number >= REQUEST.fileByFilename && number <= REQUEST.listServices) {
      found = { kind: number, text: reader.string() }
    } else {
      reader.skip(wireType)
    }
  }
  return found
}

const writeNested = (writer: BinaryWriter, number: number, write: (inner: BinaryWriter) => void): void => {
  write(writer.tag(number, WireType.LengthDelimited).fork())
  writer.join()
}

/** Names of everything that a file declares. */
const symbolsOf = (file: DescFile): string[] => [
  ...file.messages.map(({ typeName }) => typeName),
  ...file.enums.map(({ typeName }) => typeName),
  ...file.extensions.map(({ typeName }) => typeName),
  ...file.services.flatMap((service) => [
    service.typeName,
    ...service.methods.map((method) => `${service.typeName}.${method.name}`),
  ]),
]

type Answer = (request: Uint8Array) => Uint8Array

/** All that is listed is described too: clients that describe a whole server end at the first service that is not. */
export const createReflection = (served: readonly DescService[]): Answer => {
  const services = [...served, ...SERVER_SERVICES]
  const files = filesOf(services)
  const byName = new Map(files.map((file) => [file.proto.name, file]))
  const bySymbol = new Map(files.flatMap((file) => symbolsOf(file).map((symbol) => [symbol, file] as const)))
  /** Made when they are first asked for: some hundred kilobytes a file. */
  const described = new Map<DescFile, Uint8Array>()
  const names = services.map(({ typeName }) => typeName).sort()

  /** A nested message is found with the message around it. */
  const findSymbol = (symbol: string): DescFile | undefined => {
    for (let name = symbol; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
      const file = bySymbol.get(name)
      if (file !== undefined) return file
    }
    return undefined
  }

  /**
   * Describes a file with all that it needs, so that one answer suffices; clients take the first for the one that they
   * asked for.
   */
  const describe = (file: DescFile): Uint8Array => {
    const known = described.get(file)
    if (known !== undefined) return known
    const response = new BinaryWriter()
    for (const each of withImports([file]).toReversed()) {
      response.tag(1, WireType.LengthDelimited).bytes(toBinary(FileDescriptorProtoSchema, each.proto))
    }
    const bytes = response.finish()
    described.set(file, bytes)
    return bytes
  }

  const writeFile = (writer: BinaryWriter, file: DescFile | undefined, text: string): void => {
    if (file === undefined) {
      writeNested(writer, RESPONSE.error, (error) => {
        error.tag(1, WireType.Varint).int32(GRPC.notFound)
        error.tag(2, WireType.LengthDelimited).string(`not found: ${text}`)
      })
      return
    }
    writer.tag(RESPONSE.files, WireType.LengthDelimited).bytes(describe(file))
  }

  return (request) => {
    const { kind, text } = readRequest(request)
    const writer = new BinaryWriter()
    writer.tag(RESPONSE.originalRequest, WireType.LengthDelimited).bytes(request)
    if (kind === REQUEST.listServices) {
      writeNested(writer, RESPONSE.services, (list) => {
        for (const name of names) {
          writeNested(list, 1, (service) => service.tag(1, WireType.LengthDelimited).string(name))
        }
      })
    } else {
      writeFile(writer, kind === REQUEST.fileByFilename ? byName.get(text) : findSymbol(text), text)
    }
    return writer.finish()
  }
}

/** Both versions, by path. */
export const reflectionMethods = (services: readonly DescService[]): ReadonlyMap<string, StreamMethod> => {
  const answer = createReflection(services)
  const method: StreamMethod = {
    kind: 'stream',
    answer(request) {
      try {
        return answer(request)
      } catch {
        throw invalidArgument('malformed request')
      }
    },
  }
  return new Map(VERSIONS.map((name) => [`/${name}/ServerReflectionInfo`, method]))
}
