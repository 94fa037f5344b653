/** Fails when proto/gen is not what proto/vendor generates: `node proto/check.ts`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate, repositoryRoot } from './generate.ts'

const readTree = (folder: string): Map<string, string> => {
  const files = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(path.slice(folder.length + 1), readFileSync(path, 'utf8'))
  }
  return files
}

/** Paths below proto/gen that are missing, superfluous or different. */
export const staleFiles = (): readonly string[] => {
  const temporary = mkdtempSync(join(tmpdir(), 'proto-check-'))
  try {
    generate(temporary)
    const fresh = readTree(join(temporary, 'proto', 'gen'))
    const kept = readTree(join(repositoryRoot, 'proto', 'gen'))
    const paths = new Set([...fresh.keys(), ...kept.keys()])
    return [...paths].filter((path) => fresh.get(path) !== kept.get(path))
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const stale = staleFiles()
  for (const path of stale) console.error(`proto/gen/${path} is stale: run "node proto/generate.ts"`)
  process.exitCode = stale.length === 0 ? 0 : 1
}
