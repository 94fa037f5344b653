/**
 * The folders of the code, and what each may import: the list from which the checks of imports work, and by which
 * test/checks/layers.test.ts judges the projects of TypeScript, the rules of the linter and the image.
 */

/** What each folder may import, by the first folder of the target; its own folder always. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  proto: [],
  store: ['core'],
  evm: ['core', 'store'],
  modules: ['core', 'store', 'proto'],
  app: ['core', 'store', 'evm', 'modules', 'proto'],
  query: ['core', 'store', 'evm', 'modules', 'proto', 'app'],
  abci: ['core', 'proto', 'app'],
  rpc: ['core', 'proto', 'app'],
  daemons: ['core'],
  bin: ['core', 'store', 'evm', 'modules', 'app', 'query', 'abci', 'rpc', 'daemons', 'proto'],
  scripts: ['core', 'store', 'evm', 'modules', 'app', 'query', 'abci', 'rpc', 'daemons', 'bin', 'proto'],
  // Published apart: what stands there stands alone.
  packages: [],
}

/** Where nodes must agree: no clocks, timers, chance, locale, network or files. */
export const ZONE: ReadonlySet<string> = new Set(['core', 'store', 'evm', 'modules', 'app', 'query'])

/** What runs on a node, and so is a project of TypeScript and in the image. */
export const RUNNING: readonly string[] = Object.keys(LAYERS).filter(
  (layer) => !['scripts', 'packages'].includes(layer),
)
