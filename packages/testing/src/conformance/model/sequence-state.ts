import type { Operation } from '../../public-types.ts'
import { type OperationRequest, type PlainResponse, routeOf } from '../http.ts'
import type { Step, TagChoice } from './sequence.ts'

interface CreatedKey {
  readonly id: string
  readonly token: string
  readonly project: string | null
  /** The token of the key that created it. */
  readonly parent: string | null | undefined
  isAlive: boolean
}

/** The resources that a sequence has created on one server. Deleted ones remain, so that steps may request them. */
export interface SequenceState {
  readonly projects: readonly string[]
  readonly flows: readonly { readonly id: string; readonly project_id: string }[]
  readonly notifications: readonly string[]
  readonly keys: readonly CreatedKey[]
  /** The last cursor of each list. */
  readonly cursors: ReadonlyMap<Operation, string>
  /** Returns the headers of a conditional step. */
  tagHeaders(resource: string, step: Step): Record<string, string>
  record(step: Step, request: OperationRequest, answer: PlainResponse): void
  /** Removes from a list the API keys that the sequence did not create. */
  omitForeignKeys(step: Step, answer: PlainResponse): PlainResponse
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

/** Creates an empty state. */
export const createSequenceState = (): SequenceState => {
  const projects: string[] = []
  const flows: { id: string; project_id: string }[] = []
  const notifications: string[] = []
  const keys: CreatedKey[] = []
  const cursors = new Map<Operation, string>()
  const tags = new Map<string, string[]>()

  const markRevoked = (isRevoked: (key: CreatedKey) => boolean): void => {
    for (const key of keys.filter((candidate) => candidate.isAlive && isRevoked(candidate))) {
      key.isAlive = false
      markRevoked((child) => child.parent === key.token)
    }
  }

  const recorders: Partial<Record<Operation, (request: OperationRequest, body: PlainResponse['json']) => void>> = {
    'projects.create': (_request, { id }) => void (projects.includes(id) || projects.push(id)),
    'flows.create': (_request, { id, project_id }) => void (flows.some((flow) => flow.id === id) || flows.push({ id, project_id })),
    'notifications.send': (_request, { id }) => void (notifications.includes(id) || notifications.push(id)),
    'apiKeys.create': (request, { id, key, project_id }) => {
      keys.push({ id, token: key, project: project_id, parent: request.key, isAlive: true })
    },
    'apiKeys.delete': ({ params }) => markRevoked(({ id }) => id === params?.['key_id']),
    'projects.delete': ({ params }) => markRevoked(({ project }) => project === params?.['project_id']),
    'projects.deleteByQuery': ({ query }) => markRevoked(({ project }) => project === query?.['project_id']),
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
    record: ({ operation }, request, answer) => {
      if (answer.status >= 300) return
      recorders[operation]?.(request, answer.json)
      if (typeof answer.json?.next_cursor === 'string') cursors.set(operation, answer.json.next_cursor)
      const etag = answer.headers.get('etag')
      const location =
        answer.headers.get('location') ??
        routeOf(operation).route.path.replace(/:([a-z_]+)/g, (_, name: string) => request.params?.[name] ?? '')
      if (etag !== null) tags.set(location, [...(tags.get(location) ?? []), etag])
    },
    omitForeignKeys: ({ operation }, answer) => {
      if (operation !== 'apiKeys.list' || answer.status !== 200) return answer
      const own = answer.json.data.filter((key: { id: string }) => keys.some(({ id }) => id === key.id))
      return { ...answer, json: { data: own, next_cursor: null } }
    },
  }
}
