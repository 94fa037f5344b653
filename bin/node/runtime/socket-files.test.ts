import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchSocketFiles } from './socket-files.ts'

it('has servers whose file is gone listen anew, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'socket-files-'))
  const listened: string[] = []
  const serve = (name: string, address = `unix://${join(folder, name)}`) => {
    const listenAgain = (): void => {
      listened.push(name)
      writeFileSync(join(folder, name), '')
    }
    return { address, listenAgain }
  }
  const stop = watchSocketFiles([serve('a'), serve('b'), serve('c', 'tcp://127.0.0.1:1')], { warn: () => undefined }, 5)
  try {
    await expect.poll(() => listened.toSorted()).toEqual(['a', 'b'])
    rmSync(join(folder, 'b'))
    await expect.poll(() => listened.slice(2)).toEqual(['b'])
  } finally {
    stop()
    rmSync(folder, { recursive: true })
  }
})
