import type { Flow, FlowCreate, Integration, Project } from '@flowpost/client'
import { scopes as allScopes, api } from '@flowpost/contract'
import { ApiError } from '@flowpost/contract/rules'
import { findChannelIssues } from '@flowpost/domain'
import { insertApiKey } from './features/api-keys.ts'
import type { Call, HandlerTable, Principal } from './http/handler.ts'
import { isSchema } from './http/operations.ts'
import type { Operation, Scope } from './public-types.ts'
import { channelsOf, type MockContext } from './state/mock-context.ts'

type Fields = Readonly<Record<string, unknown>>

const from = 'Flowpost <no-reply@example.com>'

/** Valid settings and secrets for each built-in provider, with domains reserved for examples. */
const sampleIntegrations: Readonly<Record<string, { readonly settings: Fields; readonly secrets: Fields }>> = {
  mailgun: { settings: { domain: 'mg.example.com', from }, secrets: { api_key: 'seeded' } },
  smtp: { settings: { host: 'mail.example.com', from }, secrets: {} },
  slack: { settings: {}, secrets: { token: 'xoxb-seeded' } },
  discord: { settings: {}, secrets: { urls: { ops: 'https://discord.com/api/webhooks/1/seeded' } } },
  teams: { settings: {}, secrets: { urls: { ops: 'https://prod-1.westeurope.logic.azure.com/workflows/seeded' } } },
  webhook: {
    settings: {},
    secrets: { urls: { ops: 'https://hooks.example.com/seeded' }, signing_secret: `whsec_${'A'.repeat(32)}` },
  },
}

/**
 * Creates resources without requests, with the validation rules of the server. Omitted fields have valid defaults.
 */
export interface Seed {
  /**
   * Creates a project. Defaults to the name `project 1`, `project 2` and so on, and the user `local`.
   *
   * @throws {TypeError} When the server would reject it.
   */
  project(fields?: { readonly name?: string; readonly user?: string }): Project
  /**
   * Creates a flow. Defaults to an active `smtp` flow to `ops@example.com`, named `flow 1`, `flow 2` and so on.
   *
   * @param fields.project The project of the flow. Defaults to a new project.
   * @throws {TypeError} When the server would reject it.
   */
  flow(fields?: Partial<FlowCreate> & { readonly project?: Pick<Project, 'id'> | undefined }): Flow
  /**
   * Stores the credentials of a project for a provider. The result only shows which secrets are set.
   *
   * @param fields.project The project of the integration. Defaults to a new project.
   * @param fields.source_type The provider. Defaults to `smtp`.
   * @param fields.settings Settings, merged with valid defaults for the built-in providers.
   * @param fields.secrets Secrets, merged with valid defaults for the built-in providers.
   * @throws {TypeError} When the server would reject it.
   */
  integration(fields?: {
    readonly project?: Pick<Project, 'id'> | undefined
    readonly source_type?: string
    readonly settings?: Readonly<Record<string, unknown>>
    readonly secrets?: Readonly<Record<string, unknown>>
  }): Integration
  /** Creates an API key and returns its token. Defaults to the user `local`, all scopes, all projects and no expiry. */
  apiKey(fields?: {
    readonly user?: string
    readonly name?: string
    readonly scopes?: readonly Scope[]
    readonly project?: Pick<Project, 'id'>
    readonly expiresAt?: Date
  }): string
}

const toSeedError = (operation: string, error: unknown): TypeError => {
  if (!(error instanceof ApiError)) throw error
  const issues = (error.errors ?? []).map(({ pointer, message }) => `${pointer}: ${message}`)
  return new TypeError(`${operation} would be rejected: ${[`${error.code}.`, error.message, ...issues].join(' ')}`)
}

/** Creates the seed functions of a mock. */
export const createSeed = (
  context: MockContext,
  handlers: HandlerTable,
  deps: { readonly defaultUser: string; readonly apiKeyOf: (user: string) => string },
): Seed => {
  const principalOf = (userId: string): Principal => {
    const token = deps.apiKeyOf(userId)
    const key = [...context.store.apiKeys.values()].find((candidate) => candidate.token === token)
    return { userId, scopes: allScopes, keyId: key?.id ?? '' }
  }
  const ownerOf = (projectId: string): string => context.store.projects.get(projectId)?.userId ?? deps.defaultUser

  const createResource = (operation: Operation, schema: unknown, userId: string, params: Record<string, string>, body: object): unknown => {
    try {
      const parsed = isSchema(schema) ? schema.safeParse(body) : undefined
      if (!parsed?.success) throw new TypeError(`${operation} would be rejected: ${(parsed?.error as Error | undefined)?.message}`)
      const call = { principal: principalOf(userId), params, query: {}, body: parsed.data, headers: new Headers() }
      const result = handlers.get(operation)?.({ ...call, signal: new AbortController().signal } as unknown as Call)
      return (result as { body: unknown }).body
    } catch (error) {
      if (error instanceof TypeError) throw error
      throw toSeedError(operation, error)
    }
  }

  const project: Seed['project'] = ({ name = `project ${context.store.projects.size + 1}`, user = deps.defaultUser } = {}) =>
    createResource('projects.create', api.projects.create.body, user, {}, { name }) as Project

  return {
    project,
    flow: ({ project: of = project(), ...fields } = {}) => {
      const body = { name: `flow ${context.store.flows.size + 1}`, source_type: 'smtp', target: 'ops@example.com', ...fields }
      const [issue] = findChannelIssues(channelsOf(context), body)
      if (issue) throw new TypeError(`flows.create would be rejected: ${issue.pointer}: ${issue.message}`)
      return createResource('flows.create', api.flows.create.body, ownerOf(of.id), { project_id: of.id }, body) as Flow
    },
    integration: ({ project: of = project(), source_type = 'smtp', settings, secrets } = {}) => {
      const sample = sampleIntegrations[source_type]
      const body = { settings: { ...sample?.settings, ...settings }, secrets: { ...sample?.secrets, ...secrets } }
      return createResource(
        'integrations.put',
        api.integrations.put.body,
        ownerOf(of.id),
        { project_id: of.id, source_type },
        body,
      ) as Integration
    },
    apiKey: ({ user = deps.defaultUser, name = 'seeded key', scopes = allScopes, project: of, expiresAt } = {}) =>
      insertApiKey(context, { userId: user, name, scopes, projectId: of?.id ?? null, expiresAt: expiresAt?.getTime() ?? null }).token,
  }
}
