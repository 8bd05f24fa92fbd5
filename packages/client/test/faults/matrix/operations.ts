import type { Operations, Page } from '../../../src/index.ts'
import type { RouteTable } from '../../../src/route.ts'
import { type Behavior, json } from '../../support/hostile-server.ts'
import { flow, message, notification, project } from '../../support/resources.ts'

/** An operation that must not be repeated. The contract has no such operation. */
export const unsafeRoutes = { start: { method: 'POST', path: '/v1/start' } } as const satisfies RouteTable

/** Options that all operations accept, including `settled`. */
export interface Options {
  readonly signal: AbortSignal
  readonly timeout: number
}

/** The methods of the client, and a method that calls the unsafe operation. */
export type Client = Operations & { readonly unsafe: { start(options: Options): Promise<unknown> } }

/** One kind of call. */
export interface Operation {
  readonly name: string
  readonly method: string
  /** Whether the client may repeat the call when it is unknown whether the server processed it. */
  readonly isSafe: boolean
  /** Whether the requests have an idempotency key. */
  readonly hasKey: boolean
  call(client: Client, options: Options): PromiseLike<unknown>
  /** The responses to the requests before the one that fails. */
  readonly before: readonly Behavior[]
  /** The responses to the repeated request and to later requests. */
  readonly after: readonly Behavior[]
  /** The value that the call resolves to after these responses. */
  readonly result: unknown
  /** The number of requests in `before` that the error's `attempts` include. */
  readonly attemptsBefore: number
}

const simple = (name: string, method: string, success: Behavior, result: unknown, call: Operation['call']): Operation => ({
  name,
  method,
  isSafe: true,
  hasKey: false,
  call,
  before: [],
  after: [success],
  result,
  attemptsBefore: 0,
})

const page = (next_cursor: string | null) => json(200, { data: [flow], next_cursor })
const lastPage = { data: [flow], next_cursor: null }
const withTag = json(200, project, { etag: '"v1"' })
const renamed = { ...project, name: 'renamed' }
const sent = { ...notification, status: 'sent' }

const idsOf = async (list: Page<{ id: string }>): Promise<string[]> => {
  const ids: string[] = []
  for await (const { id } of list) ids.push(id)
  return ids
}

const rename = () => ({ name: 'renamed' })

/** One operation of each kind. The tests try every fault with each of them. */
export const mainOperations: readonly Operation[] = [
  simple('a read', 'GET', json(200, project), project, (client, options) => client.projects.get(project.id, options)),
  simple('a list', 'GET', page(null), lastPage, (client, options) => client.flows.list(project.id, {}, options)),
  {
    ...simple('a create', 'POST', json(202, notification), notification, (client, options) => client.notifications.send(message, options)),
    hasKey: true,
  },
  simple('a replacement', 'PUT', json(200, renamed), renamed, (client, options) => client.projects.update(project.id, rename(), options)),
  simple(
    'a deletion',
    'DELETE',
    (response) => response.writeHead(204).end(),
    undefined,
    (client, options) => client.projects.delete(project.id, options),
  ),
  {
    ...simple('an unsafe action', 'POST', json(200, { ok: true }), { ok: true }, (client, options) => client.unsafe.start(options)),
    isSafe: false,
  },
]

/** Calls with other methods, and calls that make several requests, one of which fails. */
export const otherOperations: readonly Operation[] = [
  simple('a change of fields', 'PATCH', json(200, flow), flow, (client, options) =>
    client.flows.patch(project.id, flow.id, { active: false }, options),
  ),
  simple('a check', 'POST', json(200, { ok: true }), { ok: true }, (client, options) => client.flows.check(project.id, flow.id, options)),
  {
    ...simple('the second page of a list', 'GET', page(null), [flow.id, flow.id], (client, options) =>
      idsOf(client.flows.list(project.id, {}, options)),
    ),
    before: [page('c1')],
  },
  {
    ...simple('the read of an update with a function', 'GET', withTag, renamed, (client, options) =>
      client.projects.update(project.id, rename, options),
    ),
    after: [withTag, json(200, renamed)],
  },
  {
    ...simple('the write of an update with a function', 'PUT', json(200, renamed), renamed, (client, options) =>
      client.projects.update(project.id, rename, options),
    ),
    before: [withTag],
    attemptsBefore: 1,
  },
  {
    ...simple('the completion of a notification', 'GET', json(200, sent), sent, (client, options) =>
      client.notifications.send(message).settled(options),
    ),
    before: [json(202, notification)],
  },
]
