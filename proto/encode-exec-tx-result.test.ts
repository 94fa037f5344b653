import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { encodeEvents, encodeExecTxResult, type ExecTxResultFields } from './encode-exec-tx-result.ts'
import { abci } from './index.ts'

type Fields = Omit<ExecTxResultFields, 'events'> & Pick<MessageInitShape<typeof abci.ExecTxResultSchema>, 'events'>
type Events = Parameters<typeof encodeEvents>[0]

const general = (fields: Fields): Uint8Array =>
  toBinary(abci.ExecTxResultSchema, create(abci.ExecTxResultSchema, fields))

const NOTHING: ExecTxResultFields = {
  code: 0,
  data: new Uint8Array(0),
  log: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: encodeEvents([]),
  codespace: '',
}

/** xorshift32: the same cases in every run. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

describe('encodeExecTxResult', () => {
  test('writes what the general encoder writes', () => {
    const random = createRandom(7)
    const texts = ['', 'a', 'Zürich', '漢字 🜂', 'x'.repeat(127), 'y'.repeat(128), 'z'.repeat(20_000)]
    const text = (): string => texts[random(texts.length)] ?? ''
    const gas = (): bigint => [0n, 1n, 127n, 128n, 21_000n, 2n ** 53n + 1n, 2n ** 63n - 1n][random(7)] ?? 0n
    for (let round = 0; round < 300; round++) {
      const events: Events = Array.from({ length: random(4) }, () => ({
        type: text(),
        attributes: Array.from({ length: random(4) }, () => ({ key: text(), value: text(), index: random(2) === 1 })),
      }))
      const result = {
        code: [0, 1, 127, 128, 2 ** 32 - 1][random(5)] ?? 0,
        data: new Uint8Array([0, 1, 127, 128, 300][random(5)] ?? 0).fill(random(256)),
        log: text(),
        gasWanted: gas(),
        gasUsed: gas(),
        codespace: text(),
      }
      const encoded = encodeExecTxResult({ ...result, events: encodeEvents(events) })
      const copied = events.map(({ type, attributes }) => ({ type, attributes: [...attributes] }))
      expect(Buffer.from(encoded).equals(general({ ...result, events: copied })), `round ${round}`).toBe(true)
      expect(fromBinary(abci.ExecTxResultSchema, encodeEvents(events)).events, `round ${round}`).toMatchObject(events)
    }
  })

  test('writes nothing for defaults', () => {
    expect(encodeExecTxResult(NOTHING)).toHaveLength(0)
  })

  test('replaces what UTF-8 cannot say', () => {
    const log = 'a\ud800b'
    expect(encodeExecTxResult({ ...NOTHING, log })).toEqual(
      general({ ...NOTHING, events: [], log: log.toWellFormed() }),
    )
  })
})
