import type { Operation } from '../../public-types.ts'
import { type OperationRequest, type PlainResponse, routeOf } from '../http.ts'
import type { CursorChoice, Step, TagChoice } from './sequence.ts'

interface CreatedKey {
  readonly id: string
  readonly token: string
  readonly project: string | null
}

/**
 * The resources that a sequence has created on one server. Deleted resources remain in the state, because later steps
 * may request them.
 */
export interface SequenceState {
  readonly projects: readonly string[]
  readonly flows: readonly { readonly id: string; readonly project_id: string }[]
  readonly suppressions: readonly { readonly id: string; readonly project_id: string }[]
  readonly notifications: readonly string[]
  readonly eventEndpoints: readonly { readonly id: string; readonly project_id: string }[]
  readonly bulkActions: readonly string[]
  readonly keys: readonly CreatedKey[]
  /** Returns the `If-Match` and `If-None-Match` headers for a step. */
  tagHeaders(resource: string, step: Step): Record<string, string>
  /** Returns the cursor that a step's `cursor` field selects; `undefined` if there is none. */
  cursorOf(step: Step): string | undefined
  record(step: Step, request: OperationRequest, answer: PlainResponse): void
}

const tagOf = (choice: TagChoice, tags: readonly string[]): string => {
  const current = tags.at(-1) ?? '"none"'
  const choices: Record<TagChoice, string> = {
    current,
    stale: tags.findLast((tag) => tag !== current) ?? '"none"',
    several: `"a,b" , ${current}, W/"c"`,
    weak: `W/${current}`,
    any: '*',
    unknown: '"none"',
    malformed: current.replaceAll('"', ''),
  }
  return choices[choice]
}

/**
 * Makes a cursor invalid by changing the character in its middle. A change to the last character may have no effect,
 * because an encoding such as base64 can ignore its last bits.
 */
const changeCharacter = (cursor: string): string => {
  const at = Math.floor(cursor.length / 2)
  return cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
}

/** Creates an empty state. */
export const createSequenceState = (): SequenceState => {
  const projects: string[] = []
  const flows: { id: string; project_id: string }[] = []
  const suppressions: { id: string; project_id: string }[] = []
  const notifications: string[] = []
  const eventEndpoints: { id: string; project_id: string }[] = []
  const bulkActions: string[] = []
  const keys: CreatedKey[] = []
  const cursors = new Map<Operation, string>()
  const tags = new Map<string, string[]>()

  const addNotification = ({ id }: { id: string }): void => void (notifications.includes(id) || notifications.push(id))
  const recorders: Partial<Record<Operation, (body: PlainResponse['json']) => void>> = {
    'projects.create': ({ id }) => void (projects.includes(id) || projects.push(id)),
    'flows.create': ({ id, project_id }) => void (flows.some((flow) => flow.id === id) || flows.push({ id, project_id })),
    'notifications.send': addNotification,
    'notifications.sendBatch': ({ results }) => {
      for (const { notification } of results) if (notification) addNotification(notification)
    },
    'eventEndpoints.create': ({ id, project_id }) => void eventEndpoints.push({ id, project_id }),
    // A dry run creates no bulk action.
    'bulkActions.create': ({ id }) => void (id === undefined || bulkActions.includes(id) || bulkActions.push(id)),
    'settings.apply': ({ project_id }) => void (project_id === null || projects.includes(project_id) || projects.push(project_id)),
    'apiKeys.create': ({ id, key, project_id }) => void keys.push({ id, token: key, project: project_id }),
  }

  return {
    projects,
    flows,
    suppressions,
    notifications,
    eventEndpoints,
    bulkActions,
    keys,
    tagHeaders: (resource, { ifMatch, ifNoneMatch }) => ({
      ...(ifMatch === undefined ? {} : { 'if-match': tagOf(ifMatch, tags.get(resource) ?? []) }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': tagOf(ifNoneMatch, tags.get(resource) ?? []) }),
    }),
    cursorOf: ({ operation, cursor }) => {
      const last = cursors.get(operation)
      const choices: Record<CursorChoice, string | undefined> = {
        last,
        other: [...cursors].findLast(([name]) => name !== operation)?.[1],
        changed: last && changeCharacter(last),
        junk: 'junk',
      }
      return cursor && choices[cursor]
    },
    record: ({ operation }, request, answer) => {
      if (answer.status >= 300) return
      if (operation === 'suppressions.create') suppressions.push({ id: answer.json.id, project_id: request.params?.['project_id'] ?? '' })
      recorders[operation]?.(answer.json)
      const cursor = answer.json?.next_cursor ?? answer.json?.cursor
      if (typeof cursor === 'string') {
        // Removes the old entry first, so that the most recent cursor becomes the last entry of the map.
        cursors.delete(operation)
        cursors.set(operation, cursor)
      }
      const etag = answer.headers.get('etag')
      const location =
        answer.headers.get('location') ??
        routeOf(operation).route.path.replace(/:([a-z_]+)/g, (_, name: string) => request.params?.[name] ?? '')
      if (etag !== null) tags.set(location, [...(tags.get(location) ?? []), etag])
    },
  }
}
