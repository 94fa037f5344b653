/** The TypeScript sources of the repository. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const SKIPPED_FOLDERS = new Set(['node_modules', '.cache', '.devnet', '.git', 'gen', 'fixtures'])

/** Paths relative to `root` with forward slashes, sorted. */
export const listSources = (root: string): readonly string[] => {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) visit(path)
      } else if (entry.name.endsWith('.ts')) found.push(path)
    }
  }
  visit('')
  return found.toSorted((a, b) => (a < b ? -1 : 1))
}
