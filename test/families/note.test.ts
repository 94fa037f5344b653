/** A family is added to a chain by its folder and one line: here the line is FAMILIES with one more. */
import { expect, it, vi } from 'vitest'
import { parseAddress } from '../../core/address.ts'
import { sha256 } from '../../core/hash.ts'
import { hexToBytes } from '../../core/hex.ts'
import { blockOf, openLone } from '../hostile/lone-application.ts'
import { signTransaction } from '../sim/traffic.ts'
import { encodeNote } from './note/family.ts'

vi.mock(import('../../app/families/family-list.ts'), async (original) => {
  const { FAMILIES } = await original()
  const { noteFamily } = await import('./note/family.ts')
  return { FAMILIES: [...FAMILIES, () => noteFamily] }
})

it('a family of its own folder and one line is taken, proposed, judged, executed, stored and found', async () => {
  const { application, accounts, viewAt } = await openLone()
  const [wallet] = accounts as readonly [(typeof accounts)[number]]
  const author = parseAddress(wallet.address)
  const note = (nonce: number, text: string): Uint8Array => encodeNote(author, nonce, text)
  const transfer = await signTransaction(wallet, 2, { nonce: 1, to: wallet.address })
  for (const raw of [note(0, 'first'), transfer, note(2, 'third')]) expect(application.checkTx(raw, false).code).toBe(0)
  expect(application.checkTx(encodeNote(author, 3, ''), false)).toMatchObject({ codespace: 'note', code: 1 })

  const proposed = await application.prepareProposal({ ...blockOf(1, []), votes: [], maxTxBytes: 1_000_000 })
  expect(proposed).toEqual([note(0, 'first'), transfer, note(2, 'third')])
  const forged = blockOf(1, [...proposed, note(7, 'of another time')])
  expect(await application.processProposal({ ...forged, hash: new Uint8Array(32).fill(9) })).toBe(false)
  const block = blockOf(1, proposed)
  expect(await application.processProposal(block)).toBe(true)
  const { transactionResults } = await application.finalizeBlock(block)
  await application.commit()

  expect(transactionResults.map(({ data }) => Buffer.from(data).toString())).toEqual(['first', '', 'third'])
  const { reader } = viewAt(1)
  expect(reader.nativePositionOf(sha256(note(2, 'third')))).toEqual({ height: 1, index: 2 })
  expect(reader.transactions(1)).toHaveLength(1)
  expect(await application.ask('txpoolStatus', {}, 0)).toBe('{"pending":"0x0","queued":"0x0"}')
  const parameters = { address: wallet.address as `0x${string}`, block: { tag: 'latest' } } as const
  expect(await application.ask('transactionCount', parameters, 0)).toBe('"0x3"')
  expect(hexToBytes(wallet.address)).toEqual(author)
})
