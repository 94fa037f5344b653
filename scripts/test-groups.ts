/**
 * The tests in three groups, projects of vitest. Most share a process with those before them: each process loads what it
 * tests anew, which takes longer than most tests do. A test that changes what a process has in common (mocks, clocks,
 * the environment, globals) or measures it has a process of its own, and so has one that starts nodes.
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

/** Folders whose tests may share a process. */
const SHARED = [
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
  'test/sim',
  'test/clob',
  'test/questions',
  'test/modules',
  'test/families',
  'test/hostile',
  'abci',
  'rpc',
  'packages',
  'daemons',
  'bin',
] as const
/** What a test changes, or measures, of the process that it would share. To read the environment is no harm. */
const IN_COMMON = new RegExp(
  [
    String.raw`\bvi\.`,
    String.raw`\bprocess\.env(\[[^\]]+\]|\.\w+)?\s*(\?\?)?=(?!=)`,
    String.raw`\bdelete process\.env`,
    String.raw`\bprocess\.(chdir|on|once|umask|exitCode|memoryUsage|cpuUsage)\b`,
    String.raw`\bglobalThis\b`,
    String.raw`\bObject\.defineProperty\b`,
  ].join('|'),
)

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
    SHARED.some((folder) => path.startsWith(`${folder}/`)) && !IN_COMMON.test(readFileSync(join(root, path), 'utf8'))
  const others = globSync('**/*.test.ts', { cwd: root, exclude }).filter((path) => !nodes.includes(path))
  const shared = others.filter(isShared)
  return { shared, alone: others.filter((path) => !shared.includes(path)), nodes }
}
