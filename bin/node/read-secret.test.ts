import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSecret } from './read-secret.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

const withText = (text: string): string => {
  const path = join(folder, String(text.length))
  writeFileSync(path, text)
  return path
}

test('a secret is the text of a file, without the line feed behind it', () => {
  const secret = 'ab'.repeat(32)
  expect(readSecret(withText(`${secret}\n`))).toEqual(Buffer.from(secret))
  expect(readSecret(undefined)).toBeUndefined()
})

test.each([
  ['short\n', 'has 5 bytes, and a secret has 32 to 4096'],
  ['x'.repeat(5_000), 'has 5000 bytes'],
])('one that could be guessed, or is no secret, is refused', (text, message) => {
  expect(() => readSecret(withText(text))).toThrow(message)
})

test('a file that is not there is named', () => {
  expect(() => readSecret(join(folder, 'none'))).toThrow('no such file')
})
