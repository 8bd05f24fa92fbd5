import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTargets, drawSteps } from '../../src/conformance/model/index.ts'
import { createModelMock, modelTarget } from './model-target.ts'

interface PlainRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  body: Record<string, unknown> | undefined
}

/** Changes a request before the mock processes it, to simulate a server that ignores a part of the request. */
type Change = (request: PlainRequest) => void

/** Returns whether random sequences find a server that ignores parts of requests. `first` is the number of the first sequence. */
const isFound = async (change: Change, first: number): Promise<boolean> => {
  const mock = createModelMock(2)
  const fetch = async (input: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const parsed = body ? (JSON.parse(body as string) as unknown) : undefined
    const isObject = parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)
    const request: PlainRequest = {
      method,
      url: new URL(input),
      headers: new Headers(headers),
      body: isObject ? (parsed as Record<string, unknown>) : undefined,
    }
    change(request)
    const changedBody = request.body ? JSON.stringify(request.body) : body
    return mock.fetch(request.url, { method, headers: request.headers, ...(changedBody ? { body: changedBody } : {}) })
  }
  const targets = [modelTarget('mock', createModelMock(1)), modelTarget('other', mock, { fetch })] as const
  const property = fc.asyncProperty(drawSteps(), (steps) => compareTargets(targets, steps))
  return (await fc.check(property, { numRuns: 150, seed: 20261122, path: String(first), endOnFailure: true })).failed
}

const ignoreHeader =
  (name: string, method: string, path: RegExp): Change =>
  (request) => {
    if (request.method === method && path.test(request.url.pathname)) request.headers.delete(name)
  }

const ignoreQuery =
  (name: string, path: RegExp): Change =>
  ({ method, url }) => {
    if (method === 'GET' && path.test(url.pathname)) url.searchParams.delete(name)
  }

const ignoreField =
  (name: string, method: string, path: RegExp): Change =>
  (request) => {
    if (request.method === method && path.test(request.url.pathname)) delete request.body?.[name]
  }

const project = /\/projects\/[^/]+\/?$/i
const projects = /\/projects\/?$/i
const flow = /\/flows\/[^/]+\/?$/i
const integration = /\/integrations\/[^/]+\/?$/i
const keys = /\/api-keys\/?$/i
const notifications = /\/notifications\/?$/i

const conditional: [string, Change][] = [
  ['If-Match of projects.update', ignoreHeader('if-match', 'PUT', project)],
  ['If-Match of projects.delete', ignoreHeader('if-match', 'DELETE', project)],
  ['If-Match of projects.deleteByQuery', ignoreHeader('if-match', 'DELETE', projects)],
  ['If-Match of flows.update', ignoreHeader('if-match', 'PUT', flow)],
  ['If-Match of flows.patch', ignoreHeader('if-match', 'PATCH', flow)],
  ['If-Match of flows.delete', ignoreHeader('if-match', 'DELETE', flow)],
  ['If-Match of integrations.put', ignoreHeader('if-match', 'PUT', integration)],
  ['If-Match of integrations.delete', ignoreHeader('if-match', 'DELETE', integration)],
  ['If-None-Match of projects.get', ignoreHeader('if-none-match', 'GET', project)],
  ['If-None-Match of flows.get', ignoreHeader('if-none-match', 'GET', flow)],
  ['If-None-Match of integrations.get', ignoreHeader('if-none-match', 'GET', integration)],
]

const idempotent: [string, Change][] = [
  ['Idempotency-Key of projects.create', ignoreHeader('idempotency-key', 'POST', projects)],
  ['Idempotency-Key of flows.create', ignoreHeader('idempotency-key', 'POST', /\/flows\/?$/i)],
  ['Idempotency-Key of apiKeys.create', ignoreHeader('idempotency-key', 'POST', keys)],
  ['Idempotency-Key of notifications.send', ignoreHeader('idempotency-key', 'POST', notifications)],
  ['Idempotency-Key of notifications.cancel', ignoreHeader('idempotency-key', 'POST', /\/cancel\/?$/i)],
]

const lists: [string, Change][] = [
  ['status filter', ignoreQuery('status', notifications)],
  ['flow filter', ignoreQuery('flow_id', notifications)],
  ['project filter', ignoreQuery('project_id', notifications)],
  ['wait', ignoreQuery('wait', /\/notifications\/[^/]+\/?$/i)],
  ...[projects, /\/flows\/?$/i, /\/integrations\/?$/i, keys, notifications, /\/deliveries\/?$/i, /\/providers\/?$/i].map(
    (path): [string, Change] => [`cursor of ${path.source}`, ignoreQuery('cursor', path)],
  ),
]

const fields: [string, Change][] = [
  ...['name', 'active', 'source_type', 'target', 'override_target', 'message_template', 'message_template_type'].map(
    (name): [string, Change] => [`${name} of flows.patch`, ignoreField(name, 'PATCH', flow)],
  ),
  ...['scopes', 'project_id', 'expires_at'].map((name): [string, Change] => [`${name} of apiKeys.create`, ignoreField(name, 'POST', keys)]),
  ['send_at of notifications.send', ignoreField('send_at', 'POST', notifications)],
]

/**
 * For each test below, the number of the first sequence that detects the simulated mistake of the server. The test starts
 * with this sequence, because the earlier ones would take most of the time. If the generated sequences change and a test
 * fails, remove its entry. The test then starts with sequence 0.
 */
const firstSequences: Readonly<Record<string, number>> = {
  'If-Match of projects.update': 3,
  'If-Match of projects.delete': 41,
  'If-Match of projects.deleteByQuery': 19,
  'If-Match of flows.update': 48,
  'If-Match of flows.patch': 27,
  'If-Match of flows.delete': 52,
  'If-Match of integrations.put': 4,
  'If-Match of integrations.delete': 23,
  'If-None-Match of flows.get': 14,
  'If-None-Match of integrations.get': 6,
  'Idempotency-Key of projects.create': 11,
  'Idempotency-Key of flows.create': 7,
  'Idempotency-Key of apiKeys.create': 12,
  'Idempotency-Key of notifications.send': 2,
  'Idempotency-Key of notifications.cancel': 18,
  'status filter': 11,
  'flow filter': 10,
  wait: 27,
  'cursor of \\/projects\\/?$': 7,
  'cursor of \\/flows\\/?$': 4,
  'cursor of \\/integrations\\/?$': 9,
  'cursor of \\/api-keys\\/?$': 18,
  'cursor of \\/notifications\\/?$': 28,
  'cursor of \\/deliveries\\/?$': 17,
  'cursor of \\/providers\\/?$': 10,
  'name of flows.patch': 5,
  'active of flows.patch': 34,
  'source_type of flows.patch': 12,
  'target of flows.patch': 89,
  'override_target of flows.patch': 91,
  'message_template of flows.patch': 40,
  'message_template_type of flows.patch': 5,
  'project_id of apiKeys.create': 6,
  'expires_at of apiKeys.create': 19,
}

describe('random sequences of requests find a server that ignores', () => {
  it.each([...conditional, ...idempotent, ...lists, ...fields])('%s', async (what, change) => {
    expect(await isFound(change, firstSequences[what] ?? 0)).toBe(true)
  })
})
