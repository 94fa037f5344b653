/** The description of the routes: valid for a checker of OpenAPI, and true to the routes that are served. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { NativeGateway, useNativeGateway } from '../testing/native-gateway.ts'
import type { OpenApiDocument } from './openapi.ts'
import { createRoutes } from './routes.ts'
import { NATIVE_SERVICES } from './services.ts'

const gateway = useNativeGateway()

const load = async (): Promise<OpenApiDocument> =>
  (await (await fetch(`${gateway().url}/swagger/openapi.json`)).json()) as OpenApiDocument

test('is valid OpenAPI 3.0', async () => {
  const document = { ...(await load()) }
  const { valid, errors } = await new Validator().validate(document)
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(document.openapi).toBe('3.0.3')
})

test('has every route once, with operations of different names', async () => {
  const { paths } = await load()
  const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs))
  // Two routes of auth are one path to OpenAPI.
  expect(operations).toHaveLength(createRoutes(NATIVE_SERVICES).all.length - 1)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
})

test('refers only to what it holds', async () => {
  const document = await load()
  const known = new Set(
    Object.entries(document.components).flatMap(([kind, members]) =>
      Object.keys(members as object).map((name) => `#/components/${kind}/${name}`),
    ),
  )
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
  expect(references.length).toBeGreaterThan(300)
  for (const reference of references) expect(known).toContain(reference)
})

test('tells parameters and answers', async () => {
  const { paths, components } = await load()
  const { get } = paths['/cosmos/bank/v1beta1/balances/{address}/by_denom'] ?? {}
  expect(get?.parameters).toEqual([
    { name: 'address', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'denom', in: 'query', required: false, schema: { type: 'string' } },
    { $ref: '#/components/parameters/height' },
  ])
  expect(get?.summary).toBe('Balance queries the balance of a single coin for a single account')
  const names = paths['/cosmos/gov/v1/proposals']?.['get']?.parameters.map((each) => ('name' in each ? each.name : ''))
  expect(names).toEqual(
    expect.arrayContaining(['proposal_status', 'voter', 'pagination.key', 'pagination.limit', 'pagination.reverse']),
  )
  expect(Object.keys(paths['/cosmos/tx/v1beta1/txs'] ?? {}).sort()).toEqual(['get', 'post'])
  expect(paths['/cosmos/bank/v1beta1/denoms_metadata/{denom}']).toBeDefined()
  const schemas = components['schemas'] as Record<string, unknown>
  expect(schemas['cosmos.base.query.v1beta1.PageResponse']).toEqual({
    type: 'object',
    properties: {
      next_key: { type: 'string', format: 'byte', nullable: true },
      total: { type: 'string', format: 'uint64', pattern: '^-?[0-9]+$' },
    },
  })
})

test('is shown as a page that loads nothing', async () => {
  for (const path of ['/swagger', '/swagger/']) {
    const response = await fetch(`${gateway().url}${path}`)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await response.text()
    expect(text).toContain('/cosmos/staking/v1beta1/validators/{validator_addr}/delegations')
    expect(text).not.toMatch(/<script|<link|<img|src=|https?:\/\//)
  }
})

test('is not served where the settings say so', async () => {
  const closed = await NativeGateway.start({ openApi: false })
  try {
    expect((await closed.get('/swagger')).status).toBe(501)
  } finally {
    await closed.close()
  }
})
