/** Writes test/vectors/clob/plan.json (`biome format --write` follows): `scripts/run.sh node test/clob/plan/write-vectors.ts`. The slow model says what is expected. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planVectors } from './vectors.ts'

writeFileSync(join(import.meta.dirname, '../../vectors/clob/plan.json'), `${JSON.stringify(planVectors())}\n`)
