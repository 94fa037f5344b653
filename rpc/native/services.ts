/** The native query services that are served over REST and gRPC, and the types that may stand in a google.protobuf.Any. */
import { createRegistry, type DescFile, type DescMethod, type DescService, type Registry } from '@bufbuild/protobuf'
import { bankQuery, cometQuery } from '../../proto/index.ts'

export const NATIVE_SERVICES: readonly DescService[] = [bankQuery.Query, cometQuery.Service]

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

export const filesOf = (services: readonly DescService[]): readonly DescFile[] =>
  withImports(services.map((service) => service.file))

export const createTypeRegistry = (services: readonly DescService[]): Registry => createRegistry(...filesOf(services))
