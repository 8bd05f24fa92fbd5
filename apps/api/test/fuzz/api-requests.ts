import type { OpenApiDocument, OpenApiOperation } from '@flowpost/contract'
import type { Random } from './random.ts'
import { createValues, hostileText, type Schema } from './schema-values.ts'

/** A generated HTTP request. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** The ids of a resource and its parents, keyed by path parameter. */
export type Ids = Readonly<Record<string, string>>

const prefixes: Readonly<Record<string, string>> = { project_id: 'prj', flow_id: 'flw', notification_id: 'ntf', key_id: 'key' }
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK']
const unusualPaths = [
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

// Only addresses on this machine, because the server connects to them when it checks a flow.
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

/**
 * Creates a generator of requests from an OpenAPI document. About half of the requests are valid, and most of the others are
 * nearly valid.
 */
export const createRequests = (document: OpenApiDocument, random: Random, keys: readonly string[], resources: readonly Ids[]) => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  // Deletions are rare, so that resources accumulate.
  const choices = operations.flatMap((operation) => Array.from({ length: operation.method === 'DELETE' ? 1 : 4 }, () => operation))

  // Half of the requests are valid, so that they create resources to which other requests can refer.
  let isFaulty = false
  const shouldMutate = (probability: number): boolean => isFaulty && random.chance(probability)

  // Most requests use ids from one project, because other combinations return 404.
  let idsInUse: Ids = {}
  const idOf = (field: string): string => {
    const id = idsInUse[field]
    if (id !== undefined && !shouldMutate(0.1)) return id
    if (random.chance(0.7)) return `${prefixes[field] ?? 'prj'}_01jdv3k2m8f6wbn0q4z5t7x9ya`
    return hostileText(random)
  }
  const chooseIds = (): void => {
    idsInUse = {}
    for (const field of ['key_id', 'notification_id', 'project_id', 'flow_id']) {
      const candidates = resources.filter((ids) => ids[field] !== undefined)
      if (candidates.length > 0 && random.chance(0.9)) idsInUse = { ...idsInUse, ...random.pick(candidates) }
    }
  }
  const values = createValues(document, random, { idOf, shouldMutate })

  /** Encodes a text for a URL, sometimes as an invalid encoding. */
  const encode = (text: string): string => {
    if (shouldMutate(0.03)) return random.pick(['%', '%zz', '%ff', '%00', '%E0%A4%A', '..', '.', '%2e%2e'])
    return encodeURIComponent(text.toWellFormed()) || 'x'
  }

  const pathOf = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encode(name === 'source_type' ? random.pick(['smtp', 'slack', 'mailgun', 'pigeon']) : idOf(name)),
    )

  const parameterOf = (name: string, schema: Schema): string => {
    // Long waits would only slow down the run.
    if (name === 'wait') return shouldMutate(0.5) ? random.pick(['0', '61', 'x', '']) : '1'
    return shouldMutate(0.3) ? hostileText(random) : String(values.createValue(schema, name))
  }

  const queryOf = (operation: OpenApiOperation): string => {
    const parameters = operation.parameters
      .filter(({ in: place }) => place === 'query')
      .filter(({ name, required }) => (required ? !shouldMutate(0.2) : name === 'cursor' ? shouldMutate(0.3) : random.chance(0.3)))
      .map(({ name, schema }) => `${name}=${encode(parameterOf(name, schema as Schema))}`)
    if (shouldMutate(0.1)) parameters.push(`${encode(hostileText(random))}=${encode(hostileText(random))}`)
    if (parameters[0] !== undefined && shouldMutate(0.1)) parameters.push(parameters[0])
    return parameters.length === 0 ? '' : `?${parameters.join('&')}`
  }

  const validHeader = (header: string): string => (header === 'Idempotency-Key' ? `key-${random.below(200)}` : random.pick(['*', '"x"']))

  const headersOf = (operation: OpenApiOperation | undefined): Record<string, string> => {
    const credential = !shouldMutate(0.2)
      ? `Bearer ${random.pick(keys)}`
      : random.pick(['', 'Bearer', 'Bearer fp_unknown', 'Basic YTpi', 'Bearer a.b.c', `Bearer ${'x'.repeat(5_000)}`])
    const headers: Record<string, string> = credential === '' ? {} : { Authorization: credential }
    for (const { name, in: place } of operation?.parameters ?? [])
      if (place === 'header' && random.chance(0.3)) headers[name] = shouldMutate(0.5) ? random.pick(oddHeaders) : validHeader(name)
    if (shouldMutate(0.2)) headers['X-Request-Id'] = random.pick(['a', 'two words', 'x'.repeat(300), '<b>'])
    if (shouldMutate(0.1)) headers['Content-Encoding'] = random.pick(['gzip', 'identity', 'br'])
    if (random.chance(0.1)) headers['Accept'] = random.pick(['text/html', 'application/xml', '*/*', ''])
    return headers
  }

  const bodyOf = ({ operationId, requestBody }: OpenApiOperation): string | Buffer | undefined => {
    if (shouldMutate(0.1)) return Buffer.from(Array.from({ length: 1 + random.below(50) }, () => random.below(256)))
    if (shouldMutate(0.1)) return random.pick(junkBodies)
    if (shouldMutate(0.01)) return `{"name":"${'a'.repeat(1_100_000)}"}`
    if (operationId === 'integrations.put') return JSON.stringify(random.pick(integrations))
    const schema = (requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content['application/json']?.schema
    if (!schema) return shouldMutate(0.2) ? '{"a":1}' : undefined
    const value = values.createValue(schema)
    return JSON.stringify(shouldMutate(0.6) ? values.corrupt(value) : value)
  }

  return (): FuzzRequest => {
    isFaulty = random.chance(0.5)
    chooseIds()
    const { path, method, operation } = random.pick(choices)
    const hasUnusualPath = shouldMutate(0.12)
    const headers = headersOf(operation)
    const sentMethod = shouldMutate(0.12) ? random.pick(methods) : method
    const body = ['GET', 'HEAD', 'OPTIONS'].includes(sentMethod) ? undefined : bodyOf(operation)
    if (body !== undefined) {
      const type = !shouldMutate(0.12) ? 'application/json' : random.pick(mediaTypes)
      if (type !== '') headers['Content-Type'] = type
    }
    return {
      method: sentMethod,
      path: (hasUnusualPath ? random.pick(unusualPaths) : pathOf(path)) + queryOf(operation),
      headers,
      body,
    }
  }
}
