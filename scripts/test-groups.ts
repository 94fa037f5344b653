/**
 * The tests in three groups, projects of vitest. Those of folders that only compute share a process with those before
 * them: each process loads what it tests anew, which takes longer than most of these tests do. Whoever reaches for what
 * a process has in common (mocks, clocks, the environment, globals) has one of its own, and whoever starts parts of a node.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What starts nodes and looks at how soon they do what they should. */
const NODES = [
  'test/e2e/*',
  'bin/node/node',
  'bin/node/network',
  'bin/node/monitoring',
  'bin/node/supervise/*',
  'test/hostile/crash',
  'test/hostile/load',
  'test/hostile/ports',
].map((name) => `${name}.test.ts`)

const COMPUTING = [
  'core',
  'store',
  'proto',
  'evm',
  'modules',
  'app',
  'query',
  'test/spec',
  'test/precompiles',
  'test/erc20',
] as const
const IN_COMMON = /\bvi\.|\bprocess\.(env|chdir|on|once|umask|exitCode)\b|\bglobalThis\b|\bObject\.defineProperty\b/

export interface TestGroups {
  /** One process after the other runs them all, or two. */
  readonly shared: readonly string[]
  /** A process each. */
  readonly alone: readonly string[]
  /** A process each; they start nodes. */
  readonly nodes: readonly string[]
}

/** Paths from `root`. Every test is in one group. */
export const findTestGroups = (root: string, exclude: readonly string[]): TestGroups => {
  const nodes = globSync(NODES, { cwd: root })
  const isShared = (path: string): boolean =>
    COMPUTING.some((folder) => path.startsWith(`${folder}/`)) && !IN_COMMON.test(readFileSync(join(root, path), 'utf8'))
  const others = globSync('**/*.test.ts', { cwd: root, exclude }).filter((path) => !nodes.includes(path))
  const shared = others.filter(isShared)
  return { shared, alone: others.filter((path) => !shared.includes(path)), nodes }
}
