import type { Operation } from '../../named-types.ts'
import { type HttpAnswer, type OperationRequest, routeOf } from '../http.ts'
import type { Step, TagChoice } from './step.ts'

interface KnownKey {
  readonly id: string
  readonly token: string
  readonly project: string | null
  /** The token that it was made with. */
  readonly parent: string | null | undefined
  isAlive: boolean
}

/** What a sequence has made on one server so far. Deleted resources stay in it, so that steps may ask for them. */
export interface Memory {
  readonly projects: readonly string[]
  readonly flows: readonly { readonly id: string; readonly project_id: string }[]
  readonly notifications: readonly string[]
  readonly keys: readonly KnownKey[]
  /** The last cursor that each list gave. */
  readonly cursors: ReadonlyMap<Operation, string>
  /** The headers of a conditional step. */
  tagHeaders(resource: string, step: Step): Record<string, string>
  learn(step: Step, request: OperationRequest, answer: HttpAnswer): void
  /** Leaves out of a list of keys what the sequence did not make. */
  ownOnly(step: Step, answer: HttpAnswer): HttpAnswer
}

const tagOf = (choice: TagChoice, tags: readonly string[]): string => {
  const current = tags.at(-1) ?? '"none"'
  const choices: Record<TagChoice, string> = {
    current,
    stale: tags.findLast((tag) => tag !== current) ?? '"none"',
    weak: `W/${current}`,
    any: '*',
    unknown: '"none"',
  }
  return choices[choice]
}

/** An empty memory. */
export const createMemory = (): Memory => {
  const projects: string[] = []
  const flows: { id: string; project_id: string }[] = []
  const notifications: string[] = []
  const keys: KnownKey[] = []
  const cursors = new Map<Operation, string>()
  const tags = new Map<string, string[]>()

  const kill = (isDead: (key: KnownKey) => boolean): void => {
    for (const key of keys.filter((each) => each.isAlive && isDead(each))) {
      key.isAlive = false
      kill((child) => child.parent === key.token)
    }
  }

  const made: Partial<Record<Operation, (request: OperationRequest, body: HttpAnswer['json']) => void>> = {
    'projects.create': (_request, { id }) => void (projects.includes(id) || projects.push(id)),
    'flows.create': (_request, { id, project_id }) => void (flows.some((flow) => flow.id === id) || flows.push({ id, project_id })),
    'notifications.send': (_request, { id }) => void (notifications.includes(id) || notifications.push(id)),
    'apiKeys.create': (request, { id, key, project_id }) => {
      keys.push({ id, token: key, project: project_id, parent: request.key, isAlive: true })
    },
    'apiKeys.delete': ({ params }) => kill(({ id }) => id === params?.['key_id']),
    'projects.delete': ({ params }) => kill(({ project }) => project === params?.['project_id']),
    'projects.deleteByQuery': ({ query }) => kill(({ project }) => project === query?.['project_id']),
  }

  return {
    projects,
    flows,
    notifications,
    keys,
    cursors,
    tagHeaders: (resource, { ifMatch, ifNoneMatch }) => ({
      ...(ifMatch === undefined ? {} : { 'if-match': tagOf(ifMatch, tags.get(resource) ?? []) }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': tagOf(ifNoneMatch, tags.get(resource) ?? []) }),
    }),
    learn: ({ operation }, request, answer) => {
      if (answer.status >= 300) return
      made[operation]?.(request, answer.json)
      if (typeof answer.json?.next_cursor === 'string') cursors.set(operation, answer.json.next_cursor)
      const etag = answer.headers.get('etag')
      const place =
        answer.headers.get('location') ??
        routeOf(operation).route.path.replace(/:([a-z_]+)/g, (_, name: string) => request.params?.[name] ?? '')
      if (etag !== null) tags.set(place, [...(tags.get(place) ?? []), etag])
    },
    ownOnly: ({ operation }, answer) => {
      if (operation !== 'apiKeys.list' || answer.status !== 200) return answer
      const own = answer.json.data.filter((key: { id: string }) => keys.some(({ id }) => id === key.id))
      return { ...answer, json: { data: own, next_cursor: null } }
    },
  }
}
