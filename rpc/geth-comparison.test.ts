/** Replies of geth 1.16.8, recorded by testing/capture-geth.ts, against those of a gateway over real HTTP. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type Gateway } from './gateway.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS } from './settings.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

interface Recorded {
  readonly body: string
  readonly status: number
  readonly reply: string
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/geth-replies.json'), 'utf8'),
) as readonly Recorded[]

/** Where this chain differs from geth on purpose. */
const DIFFERENT: readonly (readonly [RegExp, string])[] = [
  [/"eth_getBlockByHash","params":\["0x1{64}"\]/, 'the flag is optional here, as the interface has it'],
  [/"blobVersionedHashes":\[\]/, 'this chain has no blob transactions'],
]

/** Codes of the envelope and of parameters; what geth says with them does not depend on its chain. */
const WIRE_CODES = new Set([-32700, -32600, -32601, -32602])
/** Errors that the gateway finds itself, though geth gives them the default code. */
const GATEWAY_TEXTS =
  /^(?:subscription not found|invalid arguments; neither block|unable to decode storage key|hex string (?:too long|invalid)|both gasPrice and|account 0x.* has both|block override)/

interface Parsed {
  readonly error?: { readonly code: number; readonly message: string }
}

const isWireError = (reply: string): boolean => {
  const parsed = reply === '' ? {} : (JSON.parse(reply) as Parsed)
  const { error } = parsed
  return (
    Array.isArray(parsed) ||
    reply === '' ||
    (error !== undefined && (WIRE_CODES.has(error.code) || GATEWAY_TEXTS.test(error.message)))
  )
}

describe('beside geth', () => {
  const application = createMemoryApplication()
  let gateway: Gateway

  beforeAll(async () => {
    const settings = {
      ...GATEWAY_DEFAULTS,
      grpcAddress: undefined,
      address: '127.0.0.1:0',
      wsAddress: undefined,
      restAddress: undefined,
    }
    gateway = await startGateway({ ...settings, api: ['eth', 'net', 'web3', 'txpool'] }, application, SILENT_LOG)
  })
  afterAll(() => gateway.close())

  const post = async (body: string): Promise<Recorded> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`http://${gateway.address}/`, { method: 'POST', headers, body })
    return { body, status: response.status, reply: await response.text() }
  }

  const compared = recorded.filter(({ body }) => !DIFFERENT.some(([pattern]) => pattern.test(body)))

  test('every refusal of a request or parameter is the same, byte by byte', async () => {
    const wire = compared.filter(({ reply }) => isWireError(reply))
    expect(wire.length).toBeGreaterThan(600)
    const replies: Recorded[] = []
    for (const { body } of wire) replies.push(await post(body))
    expect(replies).toEqual(wire)
  })

  test('every request that geth can read is read', async () => {
    const readable = compared.filter(({ reply }) => !isWireError(reply))
    expect(readable.length).toBeGreaterThan(150)
    const refused: string[] = []
    for (const { body } of readable) {
      const { reply } = await post(body)
      if ((JSON.parse(reply) as Parsed).error !== undefined) refused.push(`${body} => ${reply}`)
    }
    expect(refused).toEqual([])
  })

  test('what differs, differs for a reason', () => {
    for (const [pattern, reason] of DIFFERENT) {
      expect(
        recorded.some(({ body }) => pattern.test(body)),
        reason,
      ).toBe(true)
    }
  })
})
