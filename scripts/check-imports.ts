/**
 * The direction of imports: core <- store <- evm, modules <- app <- abci, rpc <- bin (ARCHITECTURE.md). tsconfig
 * references refuse a wrong project; this also refuses a module that imports another, a port that is none, and
 * packages and node modules where they do not belong. Tests are free.
 */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { LAYERS, ZONE } from './layers.ts'
import { listSources } from './list-sources.ts'
import { scanImports, type FoundImport } from './scan-imports.ts'

export interface Violation {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** Packages by folder; a trailing slash allows the whole scope. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ['@noble/curves', '@scure/base', 'hash-wasm', 'secp256k1'],
  proto: ['@bufbuild/protobuf'],
  store: ['@nxtedition/rocksdb'],
  evm: ['@ethereumjs/', '@noble/curves', 'mcl-wasm', 'rustbn-wasm'],
  modules: ['@bufbuild/protobuf'],
  app: ['@bufbuild/protobuf'],
  query: ['@bufbuild/protobuf'],
  abci: ['@bufbuild/protobuf', '@grpc/grpc-js'],
  rpc: ['@bufbuild/protobuf', 'express', 'ws', 'zod'],
  daemons: [],
  packages: ['viem'],
  bin: [
    '@bufbuild/protobuf',
    '@opentelemetry/',
    '@redis/client',
    '@scure/bip32',
    '@scure/bip39',
    'commander',
    'pino',
    'prom-client',
    'smol-toml',
    'zod',
  ],
}

/** The deterministic zone gets nothing of Node but this: file or folder, and the modules allowed there. */
const NODE_MODULES_IN_ZONE: Readonly<Record<string, readonly string[]>> = {
  'core/': ['crypto'],
  'core/bytes.ts': ['buffer'],
  'core/signature.ts': ['module'],
  'store/compression.ts': ['zlib'],
  'store/rocks/': ['fs', 'path', 'module'],
  'evm/': ['crypto'],
}

const PORTS = 'app/ports.ts'

export const isTest = (file: string): boolean =>
  file.endsWith('.test.ts') ||
  /^(test|examples)\//.test(file) ||
  file.includes('/testing/') ||
  file.endsWith('.config.ts')

const packageName = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

const checkNodeModule = (file: string, layer: string, specifier: string): string | undefined => {
  if (!ZONE.has(layer)) return undefined
  const name = specifier.replace(/^node:/, '')
  const allowed = Object.entries(NODE_MODULES_IN_ZONE).some(
    ([place, names]) => (place.endsWith('/') ? file.startsWith(place) : file === place) && names.includes(name),
  )
  return allowed ? undefined : `${specifier} does not belong into the deterministic zone`
}

const checkPackage = (layer: string, specifier: string): string | undefined => {
  const name = packageName(specifier)
  const allowed = PACKAGES[layer]?.some((entry) => (entry.endsWith('/') ? name.startsWith(entry) : name === entry))
  return allowed === true || layer === 'scripts' ? undefined : `${layer} may not use the package ${name}`
}

/** Modules see each other's nothing; app and bin see their index.ts alone. */
const checkModuleSurface = (file: string, target: string): string | undefined => {
  const [, owner, name] = target.split('/')
  if (owner === undefined || name === undefined) return undefined
  if (file.startsWith(`modules/${owner}/`)) return undefined
  if (file.startsWith('modules/')) return `a module may not import another module: ${target}`
  return target === `modules/${owner}/index.ts` ? undefined : `only modules/${owner}/index.ts is public, not ${target}`
}

const checkRelative = (file: string, layer: string, found: FoundImport, specifier: string): string | undefined => {
  const target = posix.join(posix.dirname(file), specifier)
  const [to = ''] = target.split('/')
  if (layer === 'bin' && target === 'package.json') return undefined
  if (isTest(target)) return `code may not import tests: ${target}`
  if (!specifier.endsWith('.ts') && !specifier.endsWith('.json')) return `${specifier} must end in .ts`
  if (layer === 'modules' && to === 'modules') return checkModuleSurface(file, target)
  if (to === layer) return undefined
  if ((layer === 'abci' || layer === 'rpc') && to === 'modules') {
    return found.typeOnly && target === 'modules/module.ts'
      ? undefined
      : `${layer} may import only types of modules/module.ts`
  }
  if (LAYERS[layer]?.includes(to) !== true) return `${layer} may not import ${to}: ${target}`
  if ((layer === 'abci' || layer === 'rpc') && to === 'app' && target !== PORTS) {
    return `${layer} may import only ${PORTS} of app, not ${target}`
  }
  return to === 'modules' ? checkModuleSurface(file, target) : undefined
}

/** Checks one source; `file` is relative to the repository, with forward slashes. */
export const checkFile = (file: string, source: string): readonly Violation[] => {
  if (isTest(file)) return []
  const [layer = ''] = file.split('/')
  return scanImports(source).flatMap((found) => {
    const { specifier, line } = found
    let message: string | undefined
    if (LAYERS[layer] === undefined) message = `${layer} is no folder of the architecture`
    else if (specifier === undefined) message = ZONE.has(layer) ? 'a computed import cannot be checked' : undefined
    else if (specifier.startsWith('.')) message = checkRelative(file, layer, found, specifier)
    else if (isBuiltin(specifier)) message = checkNodeModule(file, layer, specifier)
    else message = checkPackage(layer, specifier)
    return message === undefined ? [] : [{ file, line, message }]
  })
}

/** All violations below `root`. */
export const checkImports = (root: string): readonly Violation[] =>
  listSources(root).flatMap((file) => checkFile(file, readFileSync(posix.join(root, file), 'utf8')))
