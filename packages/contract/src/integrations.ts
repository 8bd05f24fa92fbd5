import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, writes } from './access.ts'
import { SourceType } from './flows.ts'
import { conditionalRead, conditionalWrite } from './headers.ts'
import { IdParam, PageOf, pageQuery, Timestamp, textFault } from './primitives.ts'

/** Every text within a value, names of fields included, with the path to it. */
const textsIn = (value: unknown, path: readonly PropertyKey[] = []): { path: PropertyKey[]; text: string }[] => {
  if (typeof value === 'string') return [{ path: [...path], text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    return [...(Array.isArray(value) ? [] : [{ path: at, text: key }]), ...textsIn(inner, at)]
  })
}

/** Fields that a provider defines. Whatever those are, their texts can be stored: no U+0000, no lone surrogate. */
const providerFields = z.record(z.string(), z.unknown()).check((context) => {
  for (const { path, text } of textsIn(context.value)) {
    const fault = textFault(text, { min: 0, max: Number.POSITIVE_INFINITY })
    if (fault) context.issues.push({ code: 'custom', input: text, path, message: fault.message, params: { code: fault.code } })
  }
})

const settings = providerFields.meta({
  description: "The provider's own settings; `GET /v1/settings/providers` has their schema.",
  examples: [{ host: 'smtp.example.com', user: 'billing', from: 'Billing <billing@example.com>' }],
})

/** A project's own credentials for a provider. */
export const Integration = z
  .object({
    source_type: SourceType,
    settings,
    secrets: z
      .record(z.string(), z.object({ set: z.literal(true) }))
      .meta({ description: 'Which secrets are set. They are write-only.', examples: [{ password: { set: true } }] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Integration', description: "A project's own credentials for a provider." })

/** The body that sets a project's credentials for a provider. */
export const IntegrationPut = z
  .strictObject({
    settings,
    secrets: providerFields.optional().meta({
      description:
        'Secrets to set. One that is left out is kept; `null` removes it. All are needed again when a setting changes that decides where they are sent.',
      examples: [{ password: 'correct horse' }],
    }),
  })
  .meta({ id: 'IntegrationPut', description: "A project's own credentials for a provider." })

/** A page of integrations. */
export const IntegrationPage = PageOf('IntegrationPage', Integration)

const projectParams = z.object({ project_id: IdParam('project', 'The identifier of the project.') })
const params = projectParams.extend({ source_type: z.string().meta({ description: 'The provider.', examples: ['smtp'] }) })

const c = initContract()

const listAccess = reads('settings:read', ['not_found', 'invalid_cursor'])
const getAccess = reads('settings:read', ['not_found'])
const putAccess = writes('settings:write', ['not_found', 'etag_mismatch', 'encryption_not_configured'])
const deleteAccess = reads('settings:write', ['not_found', 'etag_mismatch'])

/** The operations on integrations. */
export const integrations = c.router(
  {
    list: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/integrations',
      summary: 'List integrations',
      description: "Lists a project's own credentials, oldest first. Secrets are not shown.",
      pathParams: projectParams,
      query: z.strictObject(pageQuery),
      responses: { 200: IntegrationPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/integrations/:source_type',
      summary: 'Get an integration',
      description: "Reads a project's own credentials for a provider. Secrets are not shown.",
      pathParams: params,
      query: z.strictObject({}),
      headers: conditionalRead,
      responses: { 200: Integration, 304: c.noBody(), ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    put: {
      method: 'PUT',
      path: '/v1/settings/projects/:project_id/integrations/:source_type',
      summary: 'Set an integration',
      description:
        "Sets a project's own credentials for a provider, or makes them. All settings are replaced; a secret that is left out is kept, `null` removes it. When a setting changes that decides where secrets are sent, such as the host, a secret that is left out is 422 `required`.",
      pathParams: params,
      headers: conditionalWrite,
      body: IntegrationPut,
      responses: { 200: Integration, ...putAccess.responses },
      metadata: putAccess.metadata,
    },
    delete: {
      method: 'DELETE',
      path: '/v1/settings/projects/:project_id/integrations/:source_type',
      summary: 'Delete an integration',
      description: "Deletes a project's own credentials for a provider, and stops sending with them.",
      pathParams: params,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
