/** Numbers of JSON are judged by their digits, as geth's are, and in geth's words. */
import { expect, test } from 'vitest'
import { parsePayload, type Payload } from './payload.ts'
import { useHttpWorld } from './testing/http-world.ts'

const world = useHttpWorld()

/** What is wrong with parameters; undefined where nothing is. */
const failureOf = async (method: string, params: string): Promise<string | undefined> => {
  const { body } = await world.post(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
  return (JSON.parse(body) as { error?: { message: string } }).error?.message
}
const lastAsked = (): unknown => world.application.asked.at(-1)?.parameters

const HASH = `"0x${'11'.repeat(32)}"`

test('integers are taken up to the last of 64 bits', async () => {
  expect(await failureOf('debug_traceTransaction', `[${HASH},{"limit":9223372036854775807}]`)).toBeUndefined()
  expect(lastAsked()).toMatchObject({ options: { tracer: { limit: 2 ** 63 } } })
  expect(await failureOf('debug_traceTransaction', `[${HASH},{"reexec":18446744073709551615}]`)).toBeUndefined()
  expect(await failureOf('debug_traceTransaction', `[${HASH},{"limit":-0}]`)).toBeUndefined()
  expect(lastAsked()).toMatchObject({ options: { tracer: { limit: 0 } } })
  const range = '["latest","0x",9223372036854775807,true,true,true]'
  expect(await failureOf('debug_accountRange', range)).toBeUndefined()
  expect(await failureOf('debug_getModifiedAccountsByNumber', '[18446744073709551615]')).toBeUndefined()
  expect(await failureOf('eth_feeHistory', '[18446744073709551615,"latest",[]]')).toBeUndefined()
})

test('what is written as no integer is none, whatever its value', async () => {
  for (const digits of ['1e2', '1E2', '1.0', '10e-1', '-0', '1e400', '18446744073709551616', '-1']) {
    expect(await failureOf('debug_getModifiedAccountsByNumber', `[${digits}]`)).toBe(
      `invalid argument 0: json: cannot unmarshal number ${digits} into Go value of type uint64`,
    )
    expect(await failureOf('eth_feeHistory', `[${digits},"latest",[]]`)).toBe(
      `invalid argument 0: invalid hex or decimal integer "${digits}"`,
    )
  }
  expect(await failureOf('debug_traceCall', '[{},"latest",{"limit":-9223372036854775809,"tracerConfig":1e2}]')).toBe(
    'invalid argument 2: json: cannot unmarshal number -9223372036854775809 into Go struct field TraceCallConfig.TraceConfig.Config.Limit of type int',
  )
  expect(await failureOf('eth_sendRawTransactionSync', '["0xc0",1e2]')).toBe(
    'invalid argument 1: json: cannot unmarshal non-string into Go value of type hexutil.Uint64',
  )
})

test('percentiles are doubles, and finite', async () => {
  expect(await failureOf('eth_feeHistory', '["0x1","latest",[1e-400,0.5e1,99.99999999999999999999]]')).toBeUndefined()
  expect(lastAsked()).toMatchObject({ percentiles: [0, 5, 100] })
  for (const digits of ['1e400', '-1e400']) {
    expect(await failureOf('eth_feeHistory', `["0x1","latest",[5,${digits},true]]`)).toBe(
      `invalid argument 2: json: cannot unmarshal number ${digits} into Go value of type float64`,
    )
  }
})

test('a number in the place of something else is called a number, however it is written', async () => {
  for (const digits of ['7', '1e2', '18446744073709551616']) {
    expect(await failureOf('debug_traceTransaction', `[${HASH},${digits}]`)).toBe(
      'invalid argument 1: json: cannot unmarshal number into Go value of type tracers.TraceConfig',
    )
    expect(await failureOf('debug_traceCall', `[{"accessList":${digits}},"latest"]`)).toBe(
      'invalid argument 0: json: cannot unmarshal number into Go struct field TransactionArgs.accessList of type types.AccessList',
    )
    expect(await failureOf('debug_accountRange', `["latest","0x",1,${digits},true,true]`)).toBe(
      'invalid argument 3: json: cannot unmarshal number into Go value of type bool',
    )
  }
})

test('parameters are kept as they were written only for the sake of such numbers, and where there are few values', () => {
  const writtenOf = (params: string): string | undefined => {
    const text = `{"id":1.0,"params":${params},"method":"a","x":1e2}`
    expect(parsePayload(text, 1_000, (method) => method !== 'a')).toMatchObject({
      messages: [{ writtenParams: undefined }],
    })
    const { messages } = parsePayload(text, 1_000, (method) => method === 'a') as Payload
    return messages[0]?.writtenParams
  }
  for (const params of [
    '["1.0","-0",true,false,null,-12,999999999999999]',
    '[0,[10]]',
    '["\\"1e2",{"1.5":"2e3"}]',
    '5',
  ])
    expect(writtenOf(params)).toBeUndefined()
  for (const params of ['[1.0]', '[{"a":[1e2]}]', '[-0]', '["\\\\",1E2]', '[9007199254740993]', '1e2', '[ -0.5 ]'])
    expect(writtenOf(params)).toBe(params)
  expect(writtenOf(`[${'1.5,'.repeat(998)}1]`)).toBeDefined()
  expect(writtenOf(`[${'1.5,'.repeat(1_001)}1]`)).toBeUndefined()
})
