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
