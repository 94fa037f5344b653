/** The bundles of state tests beside the repository: gzip'd JSON of `{"<path>": <file>}`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

export const VECTORS = new URL('../../../shared/vectors/', import.meta.url)

/** Printed by tests that skip. */
export const vectorsMissing = (): string | undefined =>
  existsSync(VECTORS) ? undefined : `skipped: no test vectors at ${VECTORS.pathname}`

export interface VectorFile {
  readonly path: string
  readonly json: unknown
}

export const readBundle = (folder: string, bundle: string): VectorFile[] => {
  const bytes = gunzipSync(readFileSync(new URL(`${folder}/${bundle}`, VECTORS)))
  const files = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  return Object.entries(files).map(([path, json]) => ({ path, json }))
}

/** The bundles in the order of their names; none where there are no vectors, as in a user's checkout. */
export const bundlesOf = (folder: string): string[] =>
  vectorsMissing() === undefined
    ? readdirSync(new URL(`${folder}/`, VECTORS))
        .filter((name) => name.endsWith('.json.gz'))
        .sort((a, b) => (a < b ? -1 : 1))
    : []
