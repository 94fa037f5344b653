/** Long questions come as bytes, which a worker reads where a worker answers: the answers are those of short ones. */
import { beforeAll, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { type Text, textToString } from '../../core/text.ts'
import type { BlockReference, QuestionName, Questions } from '../../app/ports.ts'
import { signTransaction } from '../sim/traffic.ts'
import { blockOf, type Lone, openLone } from './lone-application.ts'

const ACCOUNT = `0x${'aa'.repeat(20)}` as const
const LATEST = { tag: 'latest' } as const
const PENDING = { tag: 'pending' } as const

let lone: Lone

beforeAll(async () => {
  lone = await openLone({ workers: true })
  const [first, second] = lone.accounts
  if (first === undefined || second === undefined) throw new TypeError('accounts')
  const plain = { gas: 21_000n, tip: 9_000_000_000n, to: ACCOUNT, value: 5n }
  await lone.application.finalizeBlock(blockOf(1, [await signTransaction(first, 2, { nonce: 0, ...plain })]))
  await lone.application.commit()
  await lone.application.ask(
    'sendRawTransaction',
    { raw: hexOf(await signTransaction(second, 2, { nonce: 0, ...plain })) },
    0,
  )
})

const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`

const outcomeOf = async (ask: () => Text | Promise<Text>): Promise<string> => {
  try {
    return textToString(await ask())
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return `${error.codespace}/${error.code} ${error.message}`
  }
}

const encode = (parameters: unknown, block?: BlockReference) => ({
  encoded: new Uint8Array(Buffer.from(JSON.stringify(parameters))),
  ...(block === undefined ? {} : { block }),
})

const expectSame = async <Name extends QuestionName>(
  name: Name,
  parameters: Questions[Name],
  block?: BlockReference,
): Promise<string[]> => {
  const { application, handedOver } = lone
  const before = handedOver.length
  const short = await outcomeOf(() => application.askText(name, parameters, 1))
  const between = handedOver.length
  const long = await outcomeOf(() => application.askEncoded(name, encode(parameters, block), 1))
  expect(long).toBe(short)
  expect(handedOver.slice(between)).toEqual(handedOver.slice(before, between))
  return handedOver.slice(between)
}

it('answers what workers answer', async () => {
  // The code returns the balance of its account.
  const code = '0x3031' + '5f5260205ff3'
  for (const block of [LATEST, PENDING, { number: 1 }, { number: 7 }] as const) {
    const stateOverrides = { [ACCOUNT]: { code } } as never
    const asked = { call: { to: ACCOUNT }, block, stateOverrides }
    expect(await expectSame('call', asked, block)).toEqual(block === undefined ? [] : ['call'])
    await expectSame('estimateGas', asked, block)
  }
  const balances = await Promise.all(
    [LATEST, PENDING].map(async (block) => {
      const asked = { call: { to: ACCOUNT }, block, stateOverrides: { [ACCOUNT]: { code } } }
      return BigInt(
        JSON.parse(textToString(await lone.application.askEncoded('call', encode(asked, block), 1))) as string,
      )
    }),
  )
  expect(balances).toEqual([5n, 10n])
  await expectSame('logs', { fromBlock: { number: 0 }, toBlock: LATEST, addresses: [], topics: [] } as never)
  await expectSame('feeHistory', { blockCount: 1, newest: LATEST, percentiles: [50] } as never, LATEST)
})

it('answers what the desk answers', async () => {
  expect(await expectSame('balance', { address: ACCOUNT, block: LATEST }, LATEST)).toEqual([])
  await expectSame('transactionCount', { address: ACCOUNT, block: PENDING }, PENDING)
  await expectSame('createAccessList', { call: { to: ACCOUNT }, block: LATEST } as never, LATEST)
  await expectSame('sendRawTransaction', { raw: '0x00' })
  await expectSame('nothing' as never, {} as never)
})

it('refuses what is no JSON', async () => {
  const broken = { encoded: new Uint8Array(Buffer.from('{"call":')), block: LATEST }
  for (const name of ['call', 'balance'] as const) {
    expect(await outcomeOf(() => lone.application.askEncoded(name, broken, 1))).toMatch(/^query\/2 .* no JSON$/)
  }
})
