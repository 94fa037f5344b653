/** Many transactions that clients send at once: a thread checks their signatures, and nothing else is different. */
import { fromBinary, toBinary, create } from '@bufbuild/protobuf'
import { afterEach, expect, it } from 'vitest'
import { createSignatureThread, type RunningSignatureThread } from '../../bin/node/runtime/signature-thread.ts'
import type { SignatureThread } from '../../app/environment.ts'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { txService } from '../../proto/index.ts'
import { createAccount, signSend } from '../bench/support/native-transfers.ts'
import { blockOf, type Lone, openLone } from '../hostile/lone-application.ts'
import { signTransaction } from './traffic.ts'

const KEYS = [1, 2, 3].map((digit): Hex => `0x${String(digit).repeat(64)}`)
const { BroadcastMode, BroadcastTxRequestSchema, BroadcastTxResponseSchema } = txService

interface Sent {
  readonly name: 'sendRawTransaction' | 'native'
  readonly raw: Uint8Array
}

const changed = (raw: Uint8Array, at: number): Uint8Array => raw.map((byte, index) => (index === at ? byte ^ 1 : byte))

/** Makes traffic in the order in which a careful client sends; most of it is good. */
const makeTraffic = async ({ accounts }: Lone): Promise<readonly Sent[]> => {
  const [first, second, third] = accounts as readonly [Account, Account, Account]
  const ethereum = async (from: Account, nonce: number, chainId?: number): Promise<Sent> => ({
    name: 'sendRawTransaction',
    raw: await signTransaction(from, 2, { nonce, to: from.address, ...(chainId === undefined ? {} : { chainId }) }),
  })
  const natives = KEYS.map((key) => createAccount(key))
  const native = (index: number, sequence: number): Sent => ({
    name: 'native',
    raw: signSend(natives[index] as (typeof natives)[number], sequence),
  })
  const sent: Sent[] = []
  for (let nonce = 0; nonce < 12; nonce++) {
    sent.push(await ethereum(first, nonce), native(1, nonce))
    // One account in both families.
    sent.push(nonce % 2 === 0 ? await ethereum(third, nonce) : native(2, nonce))
  }
  const [good, goodNative] = [await ethereum(second, 12), native(1, 12)] as const
  const bad: readonly Sent[] = [
    // Another sender, who has nothing.
    { name: 'sendRawTransaction', raw: changed(good.raw, good.raw.length - 1) },
    { name: 'sendRawTransaction', raw: changed(good.raw, good.raw.length - 70) },
    { name: 'native', raw: changed(goodNative.raw, goodNative.raw.length - 1) },
    { name: 'native', raw: changed(goodNative.raw, 20) },
    { name: 'native', raw: Uint8Array.of(10, 3) },
    { name: 'sendRawTransaction', raw: Uint8Array.of(2, 0xc0) },
    // A gap, which only Ethereum's may have, and what came already.
    native(0, 40),
    await ethereum(first, 40),
    sent[0] as Sent,
    sent[1] as Sent,
  ]
  return [...sent, ...bad, goodNative]
}
type Account = Lone['accounts'][number]

const ask = async ({ application }: Lone, { name, raw }: Sent): Promise<string> => {
  if (name === 'sendRawTransaction') return await application.ask(name, { raw: bytesToHex(raw) }, 0)
  const request = create(BroadcastTxRequestSchema, { txBytes: raw, mode: BroadcastMode.SYNC })
  const data = Buffer.from(toBinary(BroadcastTxRequestSchema, request)).toString('base64')
  const answer = await application.ask('native', { path: '/cosmos.tx.v1beta1.Service/BroadcastTx', data, height: 0 }, 0)
  const { txResponse } = fromBinary(BroadcastTxResponseSchema, Buffer.from(JSON.parse(answer) as string, 'base64'))
  return `${txResponse?.txhash} ${txResponse?.codespace}/${txResponse?.code} ${txResponse?.rawLog}`
}

const outcomes = async (lone: Lone, traffic: readonly Sent[]): Promise<readonly string[]> => {
  const settled = await Promise.allSettled(traffic.map((each) => ask(lone, each)))
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))
}

const poolOf = async ({ application }: Lone): Promise<unknown> =>
  JSON.parse(await application.ask('txpoolContent', {}, 0))

let thread: RunningSignatureThread | undefined
afterEach(async () => await thread?.close())

it('is answered and kept as what comes one by one', async () => {
  const started = createSignatureThread({ log: { warn: (message) => expect.unreachable(message) } })
  thread = started
  const lots: number[] = []
  const counting: SignatureThread = {
    check: (tasks) => {
      lots.push(tasks.length)
      return started.check(tasks)
    },
  }
  const [alone, together] = [await openLone(), await openLone({ environment: { signatures: counting } })]
  const traffic = await makeTraffic(alone)
  const expected: string[] = []
  for (const each of traffic) expected.push(...(await outcomes(alone, [each])))
  expect(await outcomes(together, traffic)).toEqual(expected)
  expect(expected.filter((outcome) => /^"0x|\/0 $/.test(outcome)).length).toBe(38)
  expect(lots).toHaveLength(1)
  expect(lots[0]).toBeGreaterThan(40)
  expect(await poolOf(together)).toEqual(await poolOf(alone))
  const proposal = { ...blockOf(1, []), votes: [], maxTxBytes: 1_000_000 }
  expect(await together.application.prepareProposal(proposal)).toEqual(
    await alone.application.prepareProposal(proposal),
  )
})

it('is written to the journal at once, and refused together where the disk is full', async () => {
  const writes: number[] = []
  let isFull = false
  const lone = await openLone({
    environment: {
      journal: {
        load: () => [],
        append: (raws) => {
          if (isFull) throw new TypeError('ENOSPC: no space left on device')
          writes.push(raws.length)
        },
        rewrite: () => undefined,
      },
    },
  })
  const [first, second] = lone.accounts as readonly [Account, Account]
  const lot = async (from: Account): Promise<readonly Sent[]> =>
    await Promise.all(
      [0, 1, 2, 3, 4].map(async (nonce) => ({
        name: 'sendRawTransaction',
        raw: await signTransaction(from, 2, { nonce, to: from.address }),
      })),
    )
  const taken = await outcomes(lone, await lot(first))
  expect(taken.every((outcome) => outcome.startsWith('"0x'))).toBe(true)
  expect(writes).toEqual([5])
  isFull = true
  const refused = await outcomes(lone, await lot(second))
  expect(refused.every((outcome) => outcome.includes('the disk of the node does not take it'))).toBe(true)
  const { pending } = (await poolOf(lone)) as { readonly pending: object }
  expect(Object.keys(pending)).toHaveLength(1)
})
