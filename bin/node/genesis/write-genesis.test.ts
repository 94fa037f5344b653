import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openFileCursor } from '../../../rpc/feed/file-cursor.ts'
import { writeGenesis } from './document.ts'

const folder = mkdtempSync(join(tmpdir(), 'exclusive-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file that is written beside and renamed goes through no link that somebody has put there', async () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  const [genesis, cursor] = [join(folder, 'genesis.json'), join(folder, 'cursor.json')]
  for (const path of [genesis, cursor]) symlinkSync(victim, `${path}.new`)
  writeGenesis(genesis, { chain_id: 'a-1' })
  await openFileCursor(cursor).save({ height: 7, hash: `0x${'11'.repeat(32)}` })
  expect(readFileSync(victim, 'utf8')).toBe('mine')
  expect(JSON.parse(readFileSync(genesis, 'utf8'))).toEqual({ chain_id: 'a-1' })
  expect(JSON.parse(readFileSync(cursor, 'utf8'))).toMatchObject({ height: 7 })
  for (const path of [genesis, cursor]) expect(lstatSync(path).isFile()).toBe(true)
  expect(statSync(cursor).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).toSorted()).toEqual([
    'cursor.json',
    'cursor.json.new',
    'genesis.json',
    'genesis.json.new',
    'victim',
  ])
})
