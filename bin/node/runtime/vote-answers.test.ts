import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { openVoteAnswers } from './vote-answers.ts'

const folder = mkdtempSync(join(tmpdir(), 'vote-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const answer = (height: number, byte: number, length: number) => ({
  height,
  hash: new Uint8Array(32).fill(byte),
  extension: length === 0 ? EMPTY_BYTES : new Uint8Array(length).fill(byte),
})

it('gives back what was said of the newest height, without having been closed', () => {
  const path = join(folder, 'newest')
  const answers = openVoteAnswers(path)
  expect(answers.load()).toEqual([])
  for (const each of [answer(7, 1, 10), answer(8, 2, 131_072), answer(8, 3, 0)]) answers.keep(each)
  const next = openVoteAnswers(path)
  expect(next.load()).toEqual([answer(8, 2, 131_072), answer(8, 3, 0)])
  next.keep(answer(9, 4, 1))
  expect(openVoteAnswers(path).load()).toEqual([answer(9, 4, 1)])
  expect(statSync(path).size).toBe(45)
  next.keep(answer(3, 5, 1))
  expect(openVoteAnswers(path).load()).toEqual([answer(3, 5, 1)])
})

it('drops a record that a crash tore, and goes on behind the others', () => {
  const path = join(folder, 'torn')
  const answers = openVoteAnswers(path)
  answers.keep(answer(7, 1, 10))
  answers.close()
  appendFileSync(path, Uint8Array.of(0, 0, 0, 9, 0, 0))
  const next = openVoteAnswers(path)
  expect(next.load()).toEqual([answer(7, 1, 10)])
  next.keep(answer(7, 2, 3))
  expect(openVoteAnswers(path).load()).toEqual([answer(7, 1, 10), answer(7, 2, 3)])
})

it('ends where a power failure left zeros', () => {
  const path = join(folder, 'zeros')
  const answers = openVoteAnswers(path)
  answers.keep(answer(7, 1, 10))
  answers.close()
  appendFileSync(path, new Uint8Array(500))
  const next = openVoteAnswers(path)
  expect(next.load()).toEqual([answer(7, 1, 10)])
  next.keep(answer(7, 2, 3))
  expect(openVoteAnswers(path).load()).toEqual([answer(7, 1, 10), answer(7, 2, 3)])
})

it('keeps nothing of an answer for which the disk has no room, and all others', async () => {
  const path = join(folder, 'full')
  const source = `
    const { openVoteAnswers } = await import(${JSON.stringify(new URL('./vote-answers.ts', import.meta.url).href)})
    const answers = openVoteAnswers(${JSON.stringify(path)})
    const answer = (byte, length) => ({ height: 7, hash: new Uint8Array(32).fill(byte), extension: new Uint8Array(length).fill(byte) })
    answers.keep(answer(1, 10))
    let refused = false
    try { answers.keep(answer(2, 130000)) } catch { refused = true }
    answers.keep(answer(3, 20))
    process.exitCode = refused ? 0 : 2
  `
  // The system writes as much as the limit allows, and refuses the rest.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"', process.execPath]
  const child = spawn('sh', [...limited, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source])
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(openVoteAnswers(path).load()).toEqual([answer(7, 1, 10), answer(7, 3, 20)])
})
