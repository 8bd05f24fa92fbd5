import type { EventEndpointCreate, EventEndpointWithSecret, Flow, FlowCreate, Integration, Project } from '@flowpost/client'
import { scopes as allScopes, api, subscribableEventTypes } from '@flowpost/contract'
import { ApiError, toFieldErrors, validationFailed } from '@flowpost/contract/rules'
import { findChannelIssues, findTemplateIssues, signingSecretField } from '@flowpost/domain'
import { definedFields, type OptionalFields } from './defined-fields.ts'
import { insertApiKey } from './features/api-keys.ts'
import { findProject } from './features/projects.ts'
import type { ChangeOrigin } from './features/settings-history.ts'
import type { Call, HandlerTable } from './http/handler.ts'
import type { Schema } from './http/operations.ts'
import type { Operation, Scope } from './public-types.ts'
import { channelsOf, type MockContext } from './state/mock-context.ts'

type Fields = Readonly<Record<string, unknown>>

const from = 'Flowpost <no-reply@example.com>'

/** Valid but fictitious settings and secrets for each built-in provider. */
export const sampleIntegrations: Readonly<Record<string, { readonly settings: Fields; readonly secrets: Fields }>> = {
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

/** The project that a seeded resource belongs to, given as an object or by id. */
export interface SeedProject {
  readonly project?: Pick<Project, 'id'> | undefined
  /** The project's id, for example the `project_id` of a flow. */
  readonly project_id?: string | undefined
}

/**
 * Creates resources directly instead of through requests. Applies the server's validation rules. All fields are optional
 * and have valid defaults. A field that is `undefined` counts as omitted.
 */
export interface Seed {
  /**
   * Creates a project and returns it.
   *
   * @param fields.name The name. Defaults to the next unused name: `project 1`, `project 2` and so on.
   * @param fields.key The key. Defaults to none.
   * @param fields.user The user who owns the project. Defaults to `local`, the user of `mock.client()`.
   * @throws {TypeError} When the server would reject the project.
   */
  project(fields?: { readonly name?: string | undefined; readonly key?: string | undefined; readonly user?: string | undefined }): Project
  /**
   * Creates a flow and returns it. Takes the fields of `FlowCreate`. Defaults to an active `smtp` flow to
   * `ops@example.com`, named `flow 1`, `flow 2` and so on.
   *
   * @param fields.project The flow's project. Alternatively, pass the project's id as `project_id`. Defaults to a new
   * project.
   * @throws {TypeError} When the server would reject the flow.
   */
  flow(fields?: OptionalFields<FlowCreate> & SeedProject): Flow
  /**
   * Stores a project's credentials for a provider. Returns the integration, which contains the names of the secrets but
   * not their values.
   *
   * @param fields.project The integration's project. Alternatively, pass the project's id as `project_id`. Defaults to
   * a new project.
   * @param fields.source_type The provider. Defaults to `smtp`.
   * @param fields.settings Settings, merged with valid defaults for the built-in providers.
   * @param fields.secrets Secrets, merged with valid defaults for the built-in providers.
   * @throws {TypeError} When the server would reject the integration.
   */
  integration(
    fields?: SeedProject & {
      readonly source_type?: string | undefined
      readonly settings?: Fields | undefined
      readonly secrets?: Fields | undefined
    },
  ): Integration
  /**
   * Creates an event endpoint and returns it with its signing secret. Takes the fields of `EventEndpointCreate`.
   * Defaults to all events and the URL `https://events.example.com/`.
   *
   * @param fields.project The endpoint's project. Alternatively, pass the project's id as `project_id`. Defaults to a
   * new project.
   * @param fields.secret The signing secret, if the receiver under test expects a fixed secret: `whsec_` and a key of 24
   * to 64 bytes in base64. Defaults to a generated secret.
   * @throws {TypeError} When the server would reject the endpoint, or the secret is invalid.
   */
  eventEndpoint(
    fields?: OptionalFields<EventEndpointCreate> & SeedProject & { readonly secret?: string | undefined },
  ): EventEndpointWithSecret
  /**
   * Creates an API key and returns its token, for `mock.client({ apiKey })`.
   *
   * @param fields.user The key's user. Defaults to the project's owner, or to `local` without a project.
   * @param fields.name The name of the key. Defaults to `seeded key`.
   * @param fields.scopes The scopes of the key. Defaults to all scopes.
   * @param fields.mode `live` or `test`. The messages of a `test` key are captured, and those to simulated recipients
   * have fixed outcomes. Defaults to `live`.
   * @param fields.project The only project that the key can access. Alternatively, pass the project's id as
   * `project_id`. Defaults to all projects.
   * @param fields.expiresAt When the key expires. Unlike on the server, this time may be in the past, to test an expired
   * key. Defaults to never.
   * @throws {TypeError} When `expiresAt` is not a valid date, or the server would reject the key for another reason.
   */
  apiKey(
    fields?: SeedProject & {
      readonly user?: string | undefined
      readonly name?: string | undefined
      readonly scopes?: readonly Scope[] | undefined
      readonly mode?: 'live' | 'test' | undefined
      readonly expiresAt?: Date | undefined
    },
  ): string
}

/** Returns the id of the given project; `undefined` if no project is given. */
const projectIdOf = ({ project, project_id = project?.id }: SeedProject): string | undefined => {
  if (project && project.id !== project_id) throw new TypeError('project and project_id refer to different projects. Omit one of them.')
  return project_id
}

const toSeedError = (operation: string, error: unknown): TypeError => {
  if (!(error instanceof ApiError)) throw error
  const issues = (error.errors ?? []).map(({ pointer, message }) => `${pointer}: ${message}`)
  return new TypeError(`${operation} would be rejected: ${[`${error.code}.`, error.message, ...issues].join(' ')}`)
}

/** Returns the {@link ChangeOrigin} for settings that the mock creates on a user's behalf, without a request. */
export const createSeedOrigin = ({ store }: MockContext, userId: string, token: string): ChangeOrigin => {
  const key = [...store.apiKeys.values()].find((candidate) => candidate.token === token)
  return { principal: { userId, scopes: allScopes, mode: 'live', keyId: key?.id ?? '' }, requestId: 'seed' }
}

/** Creates a mock's seed functions. */
export const createSeed = (
  context: MockContext,
  handlers: HandlerTable,
  deps: { readonly defaultUser: string; readonly apiKeyOf: (user: string) => string },
): Seed => {
  const originOf = (userId: string): ChangeOrigin => createSeedOrigin(context, userId, deps.apiKeyOf(userId))
  const ownerOf = (projectId: string): string => context.store.projects.get(projectId)?.userId ?? deps.defaultUser

  /** Runs `work` with the validated body. @throws TypeError when the server would reject the request. */
  const createValid = <Result>(operation: Operation, schema: Schema, body: object, work: (body: unknown) => Result): Result => {
    try {
      const parsed = schema.safeParse(body)
      if (!parsed.success) throw validationFailed(toFieldErrors('body', parsed.error, body))
      return work(parsed.data)
    } catch (error) {
      throw toSeedError(operation, error)
    }
  }
  const createResource = (operation: Operation, schema: Schema, userId: string, params: Record<string, string>, body: object): unknown =>
    createValid(operation, schema, body, (valid) => {
      const call = { ...originOf(userId), params, query: {}, body: valid, headers: new Headers() }
      const result = handlers.get(operation)?.({ ...call, signal: new AbortController().signal } as unknown as Call)
      return (result as { body: unknown }).body
    })

  const findUnusedName = (userId: string): string => {
    const { projects } = context.store
    const names = new Set([...projects.values()].filter((project) => project.userId === userId).map(({ name }) => name))
    let number = projects.size + 1
    while (names.has(`project ${number}`)) number += 1
    return `project ${number}`
  }

  const project: Seed['project'] = ({ user = deps.defaultUser, name = findUnusedName(user), key } = {}) =>
    createResource('projects.create', api.projects.create.body, user, {}, { name, key }) as Project

  return {
    project,
    flow: ({ project: of, project_id, ...fields } = {}) => {
      const projectId = projectIdOf({ project: of, project_id }) ?? project().id
      const defaults = { name: `flow ${context.store.flows.size + 1}`, source_type: 'smtp', target: 'ops@example.com' }
      const body = { ...defaults, ...definedFields<FlowCreate>(fields) }
      const [issue] = [...findChannelIssues(channelsOf(context), body), ...findTemplateIssues(body)]
      if (issue) throw new TypeError(`flows.create would be rejected: ${issue.pointer}: ${issue.message}`)
      return createResource('flows.create', api.flows.create.body, ownerOf(projectId), { project_id: projectId }, body) as Flow
    },
    integration: ({ source_type = 'smtp', settings, secrets, ...of } = {}) => {
      const projectId = projectIdOf(of) ?? project().id
      const sample = sampleIntegrations[source_type]
      const body = {
        settings: { ...sample?.settings, ...definedFields(settings) },
        secrets: { ...sample?.secrets, ...definedFields(secrets) },
      }
      return createResource(
        'integrations.put',
        api.integrations.put.body,
        ownerOf(projectId),
        { project_id: projectId, source_type },
        body,
      ) as Integration
    },
    eventEndpoint: ({ project: of, project_id, secret, ...fields } = {}) => {
      if (secret !== undefined && !signingSecretField.safeParse(secret).success)
        throw new TypeError('secret must be whsec_ followed by a key of 24 to 64 bytes in base64.')
      const projectId = projectIdOf({ project: of, project_id }) ?? project().id
      const body = { url: 'https://events.example.com/', events: [...subscribableEventTypes], ...definedFields(fields) }
      const params = { project_id: projectId }
      const created = createResource('eventEndpoints.create', api.eventEndpoints.create.body, ownerOf(projectId), params, body)
      const endpoint = created as EventEndpointWithSecret
      const record = context.store.eventEndpoints.get(endpoint.id)
      if (!record || secret === undefined) return endpoint
      record.secret = secret
      return { ...endpoint, secret }
    },
    apiKey: ({ name = 'seeded key', scopes = allScopes, mode = 'live', user, expiresAt, ...of } = {}) => {
      if (expiresAt && Number.isNaN(expiresAt.getTime())) throw new TypeError('expiresAt must be a valid date.')
      const projectId = projectIdOf(of)
      const userId = user ?? (projectId === undefined ? deps.defaultUser : ownerOf(projectId))
      // A seeded key has no parent. So this code does not call the handler of `apiKeys.create`, because that handler creates
      // every key as the child of another key. A child has at most the permissions of its parent, and is revoked with its parent.
      return createValid('apiKeys.create', api.apiKeys.create.body, { name, scopes, mode, project_id: projectId }, (valid) => {
        if (projectId !== undefined) findProject(context, originOf(userId).principal, projectId)
        const expiry = expiresAt?.getTime() ?? null
        return insertApiKey(context, {
          ...(valid as { name: string }),
          userId,
          scopes,
          mode,
          projectId: projectId ?? null,
          expiresAt: expiry,
        }).token
      })
    },
  }
}
