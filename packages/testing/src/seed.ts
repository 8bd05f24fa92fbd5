import type { Flow, FlowCreate, Integration, Project } from '@flowpost/client'
import { scopes as allScopes, api } from '@flowpost/contract'
import { ApiError } from '@flowpost/contract/rules'
import { findChannelIssues } from '@flowpost/domain'
import { insertApiKey } from './features/api-keys.ts'
import type { Call, HandlerTable, Principal } from './http/call.ts'
import { isSchema } from './http/operations.ts'
import type { Operation, Scope } from './named-types.ts'
import { sampleCredentials } from './seed-credentials.ts'
import { channelsOf, type World } from './state/world.ts'

/**
 * Creates resources without requests, by the rules of the server, and returns them as the server would.
 * What is left out gets a value that works.
 */
export interface Seed {
  /**
   * Creates a project. Default: `project 1`, `project 2` and so on, of the user `local`.
   * @throws TypeError when the server would refuse it.
   */
  project(fields?: { readonly name?: string; readonly user?: string }): Project
  /**
   * Creates a flow. Default: active, by `smtp` to `ops@example.com`, named `flow 1`, `flow 2` and so on.
   * @param fields.project The project that it belongs to. Default: a new one.
   * @throws TypeError when the server would refuse it.
   */
  flow(fields?: Partial<FlowCreate> & { readonly project?: Pick<Project, 'id'> | undefined }): Flow
  /**
   * Stores credentials of a project for a provider. Secrets are only returned as set or not.
   * @param fields.project The project that they belong to. Default: a new one.
   * @param fields.source_type The provider. Default: `smtp`.
   * @param fields.settings Settings. Those left out get a value that works, for the built-in providers.
   * @param fields.secrets Secrets. Those left out get a value that works, for the built-in providers.
   * @throws TypeError when the server would refuse it.
   */
  integration(fields?: {
    readonly project?: Pick<Project, 'id'> | undefined
    readonly source_type?: string
    readonly settings?: Readonly<Record<string, unknown>>
    readonly secrets?: Readonly<Record<string, unknown>>
  }): Integration
  /** Creates an API key and returns its token. Default: all scopes of the user `local`, for every project, without an end. */
  apiKey(fields?: {
    readonly user?: string
    readonly name?: string
    readonly scopes?: readonly Scope[]
    readonly project?: Pick<Project, 'id'>
    readonly expiresAt?: Date
  }): string
}

const refused = (operation: string, error: unknown): TypeError => {
  if (!(error instanceof ApiError)) throw error
  const faults = (error.errors ?? []).map(({ pointer, message }) => `${pointer}: ${message}`)
  return new TypeError(`${operation} would be refused: ${[`${error.code}.`, error.message, ...faults].join(' ')}`)
}

/** Makes the builders of a mock's resources. */
export const createSeed = (
  world: World,
  handlers: HandlerTable,
  deps: { readonly defaultUser: string; readonly keyOf: (user: string) => string },
): Seed => {
  const principalOf = (userId: string): Principal => {
    const token = deps.keyOf(userId)
    const key = [...world.store.apiKeys.values()].find((each) => each.token === token)
    return { userId, scopes: allScopes, keyId: key?.id ?? '' }
  }
  const ownerOf = (projectId: string): string => world.store.projects.get(projectId)?.userId ?? deps.defaultUser

  const make = (operation: Operation, schema: unknown, userId: string, params: Record<string, string>, body: object): unknown => {
    try {
      const parsed = isSchema(schema) ? schema.safeParse(body) : undefined
      if (!parsed?.success) throw new TypeError(`${operation} would be refused: ${(parsed?.error as Error | undefined)?.message}`)
      const call = { principal: principalOf(userId), params, query: {}, body: parsed.data, headers: new Headers() }
      const answer = handlers.get(operation)?.({ ...call, signal: new AbortController().signal } as unknown as Call)
      return (answer as { body: unknown }).body
    } catch (error) {
      if (error instanceof TypeError) throw error
      throw refused(operation, error)
    }
  }

  const project: Seed['project'] = ({ name = `project ${world.store.projects.size + 1}`, user = deps.defaultUser } = {}) =>
    make('projects.create', api.projects.create.body, user, {}, { name }) as Project

  return {
    project,
    flow: ({ project: of = project(), ...fields } = {}) => {
      const body = { name: `flow ${world.store.flows.size + 1}`, source_type: 'smtp', target: 'ops@example.com', ...fields }
      const [fault] = findChannelIssues(channelsOf(world), body)
      if (fault) throw new TypeError(`flows.create would be refused: ${fault.pointer}: ${fault.message}`)
      return make('flows.create', api.flows.create.body, ownerOf(of.id), { project_id: of.id }, body) as Flow
    },
    integration: ({ project: of = project(), source_type = 'smtp', settings, secrets } = {}) => {
      const sample = sampleCredentials[source_type]
      const body = { settings: { ...sample?.settings, ...settings }, secrets: { ...sample?.secrets, ...secrets } }
      return make('integrations.put', api.integrations.put.body, ownerOf(of.id), { project_id: of.id, source_type }, body) as Integration
    },
    apiKey: ({ user = deps.defaultUser, name = 'seeded key', scopes = allScopes, project: of, expiresAt } = {}) =>
      insertApiKey(world, { userId: user, name, scopes, projectId: of?.id ?? null, expiresAt: expiresAt?.getTime() ?? null }).token,
  }
}
