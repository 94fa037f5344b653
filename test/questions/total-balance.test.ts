/** A question is added to a node by its file and one line: here the line is QUESTIONS with one more. */
import { expect, it, vi } from 'vitest'
import { hexToBigint, type Hex } from '../../core/hex.ts'
import type { Questions } from '../../app/ports.ts'
import { answer } from '../../query/answer.ts'
import { blockOf, openLone } from '../hostile/lone-application.ts'
import { signTransaction } from '../sim/traffic.ts'

vi.mock(import('../../query/questions.ts'), async (original) => {
  const { QUESTIONS } = await original()
  const { totalBalance } = await import('./total-balance.ts')
  return { QUESTIONS: { ...QUESTIONS, totalBalance } }
})

it('a question of its own file and one line is answered at the desk and in workers, of any height, and bounded', async () => {
  const { application, accounts, handedOver, viewAt } = await openLone()
  const addresses = accounts.map(({ address }) => address as Hex)
  const [payer, ...others] = accounts as readonly [(typeof accounts)[number], ...typeof accounts]
  const elsewhere = `0x${'ab'.repeat(20)}` as const
  const total = async (parameters: Questions['totalBalance'], head: number): Promise<bigint> =>
    hexToBigint(JSON.parse(await application.ask('totalBalance', parameters, head)) as Hex)

  const before = await total({ addresses, block: { tag: 'latest' } }, 0)
  const one = JSON.parse(
    await application.ask('balance', { address: payer.address as Hex, block: { tag: 'latest' } }, 0),
  )
  expect(before).toBe(BigInt(1 + others.length) * hexToBigint(one as Hex))

  const transfer = await signTransaction(payer, 2, { nonce: 0, to: elsewhere, value: 7n })
  await application.finalizeBlock(blockOf(1, [transfer]))
  await application.commit()
  const after = await total({ addresses: [...addresses, elsewhere], block: { tag: 'latest' } }, 1)
  expect(after).toBeLessThan(before)
  expect(await total({ addresses: [elsewhere], block: { number: 1 } }, 1)).toBe(7n)
  expect(await total({ addresses, block: { number: 0 } }, 1)).toBe(before)
  // A look-up: no worker is asked, though one would say the same.
  expect(handedOver).toEqual([])
  expect(await answer(viewAt(1), 'totalBalance', { addresses: [elsewhere], block: { tag: 'latest' } })).toBe('"0x7"')

  const refused = { codespace: 'query', code: 1 }
  const many = { addresses: Array.from({ length: 17 }, () => elsewhere), block: { tag: 'latest' } } as const
  await expect(async () => application.ask('totalBalance', many, 1)).rejects.toMatchObject(refused)
  const unknown = { addresses, block: { number: 9 } }
  await expect(async () => application.ask('totalBalance', unknown, 1)).rejects.toMatchObject(refused)
})
