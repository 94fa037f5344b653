import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getOption, type DescService } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { MODULES } from '../../app/module-list.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { PRECOMPILES } from '../../app/precompiles/index.ts'
import { bytesToHex } from '../../core/hex.ts'
import { PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { generate } from '../../proto/generate.ts'
import { messageOptions } from '../../proto/index.ts'
import { MESSAGE_SERVICES, methodPath, NATIVE_SERVICES, PACKED_FILES } from '../../rpc/native/services.ts'
import { checkModules } from '../../scripts/check-modules.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'

const root = join(import.meta.dirname, '..', '..')
const found = (folder: string): readonly string[] =>
  checkModules(folder).map(({ file, line, message }) => `${file}:${line} ${message}`)

const isMessages = (service: DescService): boolean => getOption(service, messageOptions.service)
const modules = createModules(openMemoryStore())

describe('the checker of modules', () => {
  it('refuses another shape, parts that are missing, and lists of modules; and nothing else', () => {
    expect(found(join(root, 'test/fixtures/module-shapes'))).toEqual([
      'modules/broken:1 a module has README.md',
      'modules/broken:1 a module has genesis',
      'modules/broken:1 a module has keeper',
      'app/order.ts:1 whole, broken, other: modules are listed in app/module-list.ts alone',
      'app/wiring.ts:1 it imports 6 modules: what follows from all of them is derived',
      "modules/broken/module.ts:4 this is the job of the module's messages: handleParsed(",
      "modules/broken/module.ts:5 this is the job of the module's queries: handleQuery(",
      "modules/broken/module.ts:1 this is the job of the module's genesis: from '../../core/parse.ts'",
      "modules/broken/store.ts:3 this is the job of the module's events: makeEvent(",
      "modules/broken/store.ts:2 this is the job of the module's keeper: state.setValue(",
    ])
  })

  it('passes the repository itself, and the example', () => {
    expect(found(root)).toEqual([])
    expect(found(join(root, 'test'))).toEqual([])
  })
})

describe('the list of modules', () => {
  it('has the object of each folder, under its name', () => {
    const folders = readdirSync(join(root, 'modules'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(MODULES.map(({ name }) => name).toSorted()).toEqual(folders.map(({ name }) => name).toSorted())
  })

  it.each(modules)('$name answers every method of its services, and no other', ({ services, messages, queries }) => {
    const methods = services.flatMap((service) => service.methods.map((method) => ({ service, method })))
    const inputs = methods.flatMap(({ service, method }) => (isMessages(service) ? [`/${method.input.typeName}`] : []))
    expect(messages.map(({ typeUrl }) => typeUrl).toSorted()).toEqual(inputs.toSorted())
    const paths = methods.flatMap(({ service, method }) => (isMessages(service) ? [] : [methodPath(method)]))
    expect(queries.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
  })

  it.each(modules)('$name tells of each message and service in its README', ({ name, services }) => {
    const text = readFileSync(join(root, 'modules', name, 'README.md'), 'utf8')
    const named = services.flatMap((service) =>
      isMessages(service) ? service.methods.map(({ input }) => input.name) : [service.typeName],
    )
    expect(named.filter((each) => !text.includes(each))).toEqual([])
  })

  it.each(modules)('errors of $name are of its codespace, if it has one', ({ name, errors }) => {
    expect(existsSync(join(root, 'modules', name, 'errors.ts'))).toBe(errors !== undefined)
    expect(errors?.codespace ?? name).toBe(name)
  })

  it.each(modules)('invariants of $name have its name before theirs', ({ name, invariants }) => {
    expect(invariants.filter((each) => !each.name.startsWith(`${name}/`))).toEqual([])
  })
})

it('the generated code of the example is that of its definitions', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'tally-'))
  try {
    const folders = ['proto/vendor', 'proto/own', 'test/fixtures/tally'].map((path) => ({ path }))
    const config = JSON.stringify({ version: 'v2', modules: folders })
    generate(temporary, ['--config', config, '--path', 'test/fixtures/tally/nat'])
    const generated = readFileSync(join(temporary, 'proto/gen/nat/tally/v1/tally_pb.ts'), 'utf8')
    // It lies elsewhere than the code that it imports.
    const placed = generated.replaceAll('from "../../../', 'from "../../../proto/gen/')
    expect(readFileSync(join(root, 'test/fixtures/tally/tally_pb.ts'), 'utf8')).toBe(placed)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
})

describe('what cannot be derived of the modules', () => {
  const services = MODULES.flatMap((module) => module.services)

  it('the gateway serves all their queries, and shows all their messages', () => {
    const served = new Set(NATIVE_SERVICES)
    expect(services.filter((service) => !isMessages(service) && !served.has(service))).toEqual([])
    expect(new Set(MESSAGE_SERVICES)).toEqual(new Set(services.filter(isMessages)))
  })

  it('the gateway knows what stands packed in them', () => {
    const known = new Set(PACKED_FILES)
    const packed = MODULES.flatMap((module) => module.packed ?? [])
    expect(packed.filter((file) => !known.has(file)).map(({ name }) => name)).toEqual([])
  })

  it('precompiles are of modules, at the addresses that are published', () => {
    const names = PRECOMPILES.map(({ name }) => name)
    const known = MODULES.map(({ name }) => name)
    expect(names.filter((name) => !known.includes(name))).toEqual(['bech32', 'erc20View'])
    // What views send their calls on to is called by nobody else.
    const shown = PRECOMPILES.filter(({ name }) => name !== 'erc20View')
    const published = Object.fromEntries(shown.map(({ name, address }) => [name, bytesToHex(address)]))
    expect(PRECOMPILE_ADDRESSES).toEqual(published)
  })
})
