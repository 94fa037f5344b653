/** A transaction of allowed gas that takes the engine seconds must not reach a proposal. */
import { expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, GENESIS_TIME_NS, openLone } from './lone-application.ts'

/** Calls the G2 multi-scalar multiplication with `bytes` zeros (points at infinity, and the engine refuses none). */
const callMsm = (bytes: number): `0x${string}` => `0x5f5f62${bytes.toString(16).padStart(6, '0')}5f600e5afa00`

it('is left out of a proposal, and what else waits is proposed; decided all the same it is executed', async () => {
  const { application, accounts, complaints } = await openLone({
    environment: { clock: { nowMs: () => performance.now() } },
  })
  const [slow, quick] = accounts as readonly [(typeof accounts)[number], (typeof accounts)[number]]
  const tooLong = await signTransaction(slow, 2, {
    nonce: 0,
    data: callMsm(288 * 2_000),
    gas: 16_000_000n,
    tip: 9_000_000_000n,
  })
  const small = await signTransaction(quick, 2, { nonce: 0, data: callMsm(288), gas: 1_000_000n })
  for (const raw of [tooLong, small]) expect(application.checkTx(raw, false)).toMatchObject({ code: 0 })
  const proposed = await application.prepareProposal({ ...blockOf(1, []), votes: [], maxTxBytes: 1_000_000 })
  expect(proposed.map(bytesToHex)).toEqual([bytesToHex(small)])
  expect(complaints).toEqual(['transaction dropped'])
  const block = { ...blockOf(1, [...proposed, tooLong]), timeNs: GENESIS_TIME_NS + 7n }
  expect(await application.processProposal(block)).toBe(true)
  const { transactionResults } = await application.finalizeBlock(block)
  expect(transactionResults.map(({ code }) => code)).toEqual([0, 0])
})
