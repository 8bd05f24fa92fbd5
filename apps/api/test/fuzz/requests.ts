import type { OpenApiDocument, OpenApiOperation } from '@flowpost/contract'
import type { Random } from './random.ts'
import { createValues, nastyText, type Schema } from './values.ts'

/** A request, as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** The ids of one resource and of what it belongs to, by the name that they have in a path. */
export type Ids = Readonly<Record<string, string>>

const prefixes: Readonly<Record<string, string>> = { project_id: 'prj', flow_id: 'flw', notification_id: 'ntf', key_id: 'key' }
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK']
const elsewhere = [
  '/',
  '/v1',
  '/v1/',
  '/v2/notifications',
  '/v1/settings',
  '/v1/settings/projects/',
  '/V1/Settings/Projects',
  '/livez',
  '/readyz',
  '/openapi.json',
  '/docs',
  '/docs/assets/x.js',
  '/outbox/x',
  '/v1/notifications/preview',
  '/%',
  '/a%2fb',
  '//',
  '/v1/settings/projects/x/y/z',
  '/*',
  '/v1/settings/projects?',
]
const mediaTypes = [
  'text/plain',
  'application/xml',
  'application/json; charset=latin1',
  'application/json;charset=utf-8',
  'multipart/form-data',
  '',
  'application/json, text/plain',
]
const junkBodies = [
  '',
  '{',
  '[]',
  'null',
  '"a"',
  '{"a":',
  '\ufeff{}',
  '{"__proto__":{}}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  '{"a":1}{"a":2}',
  '[1,2',
  'NaN',
  '{"name":"a","name":"b"}',
]

const oddHeaders = ['W/"x"', '"a", "b"', '"a,*,b"', 'bad key', '', '~'.repeat(256), '"', 'x']

// Only addresses of this machine, so that a check of a flow never asks another one.
const integrations = [
  { settings: { host: '127.0.0.1', port: 1, from: 'a@example.com' }, secrets: { password: 'b' } },
  { settings: { domain: 'mg.example.com', region: 'eu', from: 'a@example.com' }, secrets: { api_key: 'key-1' } },
  { settings: {}, secrets: { token: 'xoxb-1-2-a' } },
  { settings: {}, secrets: { token: null } },
  { settings: { host: 1 }, secrets: {} },
  { settings: null },
  { secrets: { token: 1 } },
  {},
]

/** Makes requests from a document, most of them nearly right. */
export const createRequests = (document: OpenApiDocument, random: Random, keys: readonly string[], known: readonly Ids[]) => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  // Deleting as often as making would leave nothing to work on.
  const choices = operations.flatMap((each) => Array.from({ length: each.method === 'DELETE' ? 1 : 4 }, () => each))

  // Half of the requests are meant well, so that there is something for the other half to stumble over.
  let careless = false
  const mishap = (probability: number): boolean => careless && random.chance(probability)

  // The ids of one request belong together, mostly, or nothing below a project would ever be found.
  let together: Ids = {}
  const idOf = (field: string): string => {
    const id = together[field]
    if (id !== undefined && !mishap(0.1)) return id
    if (random.chance(0.7)) return `${prefixes[field] ?? 'prj'}_01jdv3k2m8f6wbn0q4z5t7x9ya`
    return nastyText(random)
  }
  const chooseIds = (): void => {
    together = {}
    for (const field of ['key_id', 'notification_id', 'project_id', 'flow_id']) {
      const having = known.filter((ids) => ids[field] !== undefined)
      if (having.length > 0 && random.chance(0.9)) together = { ...together, ...random.pick(having) }
    }
  }
  const values = createValues(document, random, { idOf, mishap })

  /** Text for a URL: well encoded, or with bytes that are no text. */
  const encoded = (text: string): string => {
    if (mishap(0.03)) return random.pick(['%', '%zz', '%ff', '%00', '%E0%A4%A', '..', '.', '%2e%2e'])
    return encodeURIComponent(text.toWellFormed()) || 'x'
  }

  const pathOf = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encoded(name === 'source_type' ? random.pick(['smtp', 'slack', 'mailgun', 'pigeon']) : idOf(name)),
    )

  const parameterOf = (name: string, schema: Schema): string => {
    // Waiting is by design, and would only make the run long.
    if (name === 'wait') return mishap(0.5) ? random.pick(['0', '61', 'x', '']) : '1'
    return mishap(0.3) ? nastyText(random) : String(values.ofSchema(schema, name))
  }

  const queryOf = (operation: OpenApiOperation): string => {
    const given = operation.parameters
      .filter((each) => each.in === 'query' && (each.required ? !mishap(0.2) : each.name === 'cursor' ? mishap(0.3) : random.chance(0.3)))
      .map(({ name, schema }) => `${name}=${encoded(parameterOf(name, schema as Schema))}`)
    if (mishap(0.1)) given.push(`${encoded(nastyText(random))}=${encoded(nastyText(random))}`)
    if (given[0] !== undefined && mishap(0.1)) given.push(given[0])
    return given.length === 0 ? '' : `?${given.join('&')}`
  }

  const wellMeant = (header: string): string => (header === 'Idempotency-Key' ? `key-${random.below(200)}` : random.pick(['*', '"x"']))

  const headersOf = (operation: OpenApiOperation | undefined): Record<string, string> => {
    const credential = !mishap(0.2)
      ? `Bearer ${random.pick(keys)}`
      : random.pick(['', 'Bearer', 'Bearer fp_unknown', 'Basic YTpi', 'Bearer a.b.c', `Bearer ${'x'.repeat(5_000)}`])
    const headers: Record<string, string> = credential === '' ? {} : { Authorization: credential }
    for (const { name, in: place } of operation?.parameters ?? [])
      if (place === 'header' && random.chance(0.3)) headers[name] = mishap(0.5) ? random.pick(oddHeaders) : wellMeant(name)
    if (mishap(0.2)) headers['X-Request-Id'] = random.pick(['a', 'two words', 'x'.repeat(300), '<b>'])
    if (mishap(0.1)) headers['Content-Encoding'] = random.pick(['gzip', 'identity', 'br'])
    if (random.chance(0.1)) headers['Accept'] = random.pick(['text/html', 'application/xml', '*/*', ''])
    return headers
  }

  const bodyOf = ({ operationId, requestBody }: OpenApiOperation): string | Buffer | undefined => {
    if (mishap(0.1)) return Buffer.from(Array.from({ length: 1 + random.below(50) }, () => random.below(256)))
    if (mishap(0.1)) return random.pick(junkBodies)
    if (mishap(0.01)) return `{"name":"${'a'.repeat(1_100_000)}"}`
    if (operationId === 'integrations.put') return JSON.stringify(random.pick(integrations))
    const schema = (requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content['application/json']?.schema
    if (!schema) return mishap(0.2) ? '{"a":1}' : undefined
    const value = values.ofSchema(schema)
    return JSON.stringify(mishap(0.6) ? values.spoil(value) : value)
  }

  return (): FuzzRequest => {
    careless = random.chance(0.5)
    chooseIds()
    const { path, method, operation } = random.pick(choices)
    const strayed = mishap(0.12)
    const headers = headersOf(operation)
    const verb = mishap(0.12) ? random.pick(methods) : method
    const body = verb === 'GET' || verb === 'HEAD' || verb === 'OPTIONS' ? undefined : bodyOf(operation)
    if (body !== undefined) {
      const type = !mishap(0.12) ? 'application/json' : random.pick(mediaTypes)
      if (type !== '') headers['Content-Type'] = type
    }
    return {
      method: verb,
      path: (strayed ? random.pick(elsewhere) : pathOf(path)) + queryOf(operation),
      headers,
      body,
    }
  }
}
