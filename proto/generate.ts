/** Generates proto/gen from proto/vendor and proto/own: `node proto/generate.ts`. Needs no network. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { type DescriptorSet, readSummaries } from './summaries.ts'

export const repositoryRoot = join(import.meta.dirname, '..')

// The package `@bufbuild/buf` links its binary in an install script, which npm may be told not to run; the package of
// the platform holds the same binary, so it is called directly.
const bufBinary = (): string => {
  const resolve = createRequire(import.meta.url).resolve
  const name = `@bufbuild/buf-${process.platform}-${process.arch}`
  return join(dirname(resolve(`${name}/package.json`)), 'bin', process.platform === 'win32' ? 'buf.exe' : 'buf')
}

const writeSummaries = (folder: string): void => {
  const image = join(folder, 'descriptors.json')
  execFileSync(bufBinary(), ['build', '--as-file-descriptor-set', '--output', image], {
    cwd: repositoryRoot,
    stdio: 'inherit',
  })
  const summaries = readSummaries(JSON.parse(readFileSync(image, 'utf8')) as DescriptorSet)
  rmSync(image)
  const lines = [...summaries].map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)},\n`)
  const head = '// The first sentence above each service and method, by its full name. Written by proto/generate.ts.\n'
  const type = 'Readonly<Record<string, string | undefined>>'
  writeFileSync(join(folder, 'summaries.ts'), `${head}export const SUMMARIES: ${type} = {\n${lines.join('')}}\n`)
}

/** Writes the generated code below `outputRoot`, in the same relative folder as in the repository. `more` are flags of buf. */
export const generate = (outputRoot: string = repositoryRoot, more: readonly string[] = []): void => {
  // The plugin is started as `node`: let that be the one that runs this file.
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  execFileSync(bufBinary(), ['generate', '--output', outputRoot, ...more], {
    cwd: repositoryRoot,
    env: { ...process.env, PATH: path },
    stdio: 'inherit',
  })
  writeSummaries(join(outputRoot, 'proto', 'gen'))
}

if (import.meta.main) generate()
