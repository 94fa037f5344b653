/** /swagger: the routes as a page without scripts or anything from elsewhere; /swagger/openapi.json: for machines. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createOpenApi, type OpenApiDocument, type OpenApiOptions, type Operation, type Parameter } from './openapi.ts'

export const OPENAPI_PATH = '/swagger/openapi.json'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
details{border:1px solid #8884;border-radius:4px;margin:.3rem 0;padding:.3rem .6rem}
summary{cursor:pointer}code,b{font-family:ui-monospace,monospace}
b{display:inline-block;min-width:3.2rem}td{padding:0 1rem 0 0;vertical-align:top}pre{overflow-x:auto}`

/** A type of a schema in a few words. */
const describeType = (schema: Readonly<Record<string, unknown>>): string => {
  if (typeof schema['$ref'] === 'string') return schema['$ref'].slice(schema['$ref'].lastIndexOf('/') + 1)
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ')
  if (schema['type'] === 'array') return `${describeType(schema['items'] as Record<string, unknown>)}[]`
  return String(schema['format'] ?? schema['type'] ?? '')
}

const isShown = (parameter: Operation['parameters'][number]): parameter is Parameter => 'name' in parameter

const row = ({ name, in: place, schema }: Parameter): string =>
  `<tr><td><code>${escape(name)}</code></td><td>${place}</td><td><code>${escape(describeType(schema))}</code></td></tr>`

/** Members of the answer, with their types. */
const answerOf = ({ components }: OpenApiDocument, { responses }: Operation): string => {
  const text = JSON.stringify(responses[200])
  const name = /"#\/components\/schemas\/([^"]+)"/.exec(text)?.[1] ?? ''
  const schemas = components['schemas'] as Readonly<Record<string, { readonly properties?: object }>>
  const members = Object.entries(schemas[name]?.properties ?? {}).map(
    ([member, schema]) => `  ${member}: ${describeMember(schema as Record<string, unknown>)}`,
  )
  return `${name} {\n${members.join('\n')}\n}`
}

const describeMember = (schema: Readonly<Record<string, unknown>>): string => {
  const [wrapped] = (schema['allOf'] ?? []) as readonly Readonly<Record<string, unknown>>[]
  return wrapped === undefined ? describeType(schema) : `${describeType(wrapped)} | null`
}

const section = (document: OpenApiDocument, path: string, verb: string, operation: Operation): string => {
  const parameters = operation.parameters.filter(isShown)
  const canBeOpened = verb === 'get' && !parameters.some((parameter) => parameter.in === 'path')
  return [
    `<details><summary><b>${verb.toUpperCase()}</b> <code>${escape(path)}</code></summary>`,
    `<p>${operation.summary === undefined ? '' : `${escape(operation.summary)}. `}<code>${escape(operation.operationId)}</code>${canBeOpened ? ` <a href="${escape(path)}">open</a>` : ''}</p>`,
    parameters.length === 0 ? '' : `<table>${parameters.map(row).join('')}</table>`,
    `<pre>${escape(answerOf(document, operation))}</pre></details>`,
  ].join('')
}

const renderPage = (document: OpenApiDocument): string => {
  const all = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  )
  const parts = document.tags.map(({ name }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name))
    const shown = own.map(({ path, verb, operation }) => section(document, path, verb, operation))
    return `<h2>${escape(name)}</h2>${shown.join('\n')}`
  })
  const { title, version, description } = document.info
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>${escape(title)} ${escape(version)}</h1><p>${escape(description)} <a href="${OPENAPI_PATH}">OpenAPI</a></p>
${parts.join('\n')}</body></html>
`
}

/** Whether one of these pages is asked for. */
export const isDescription = ({ method }: IncomingMessage, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && (path === OPENAPI_PATH || path === '/swagger' || path === '/swagger/')

export interface OpenApiPages {
  /** Answers a path that {@link isDescription} knows. */
  answer(response: ServerResponse, path: string): void
}

/** Both are made when the first is asked for, and kept. */
export const createOpenApiPages = (options: OpenApiOptions): OpenApiPages => {
  let made: { readonly page: Buffer; readonly json: Buffer } | undefined
  const make = () => {
    const document = createOpenApi(options)
    return { page: Buffer.from(renderPage(document)), json: Buffer.from(JSON.stringify(document)) }
  }
  return {
    answer(response, path) {
      const isJson = path === OPENAPI_PATH
      made ??= make()
      const body = isJson ? made.json : made.page
      response.writeHead(200, {
        'Content-Type': isJson ? 'application/json' : 'text/html; charset=utf-8',
        'Content-Length': body.length,
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
        'X-Content-Type-Options': 'nosniff',
      })
      response.end(body)
    },
  }
}
