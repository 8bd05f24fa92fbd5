import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { SourceType } from './flows.ts'
import { conditionalRead, conditionalWrite, idempotentSecretWrite } from './headers.ts'
import { findInvalidTexts, IdParam, PageOf, pageQuery, Timestamp, TimestampField } from './primitives.ts'

/** The schema of an object whose fields the provider defines. Rejects only strings that the database cannot store. */
const providerFields = z.record(z.string(), z.unknown()).check((context) => {
  for (const { path, text, code, message } of findInvalidTexts(context.value))
    context.issues.push({ code: 'custom', input: text, path: [...path], message, params: { code } })
})

const settings = providerFields.meta({
  description: 'The settings for the provider. `GET /v1/settings/providers` returns their JSON Schema.',
  examples: [{ host: 'smtp.example.com', user: 'billing', from: 'Billing <billing@example.com>' }],
})

/** An integration: the settings and secrets with which a project uses a provider. */
export const Integration = z
  .object({
    source_type: SourceType,
    settings,
    secrets: z
      .record(
        z.string(),
        z.object({
          set: z.literal(true).meta({ description: 'Always `true`. Shows that the secret is set; its value is never returned.' }),
        }),
      )
      .meta({
        description: 'The secrets that are set, by name. Their values are never returned.',
        examples: [{ password: { set: true } }],
      }),
    inbound: z
      .object({
        rotated_at: TimestampField('When the address was created, or last rotated.'),
        previous_expires_at: Timestamp.nullable().meta({
          description: 'The expiry time of the previous address, which may be in the past; `null` if there was none.',
        }),
      })
      .nullable()
      .meta({
        description:
          "Details of the address at which Flowpost receives the provider's reports, such as bounces; `null` if there is no address. The address itself is a secret and is not returned.",
        examples: [null],
      }),
    created_at: TimestampField('When the integration was created.'),
    updated_at: TimestampField('When the integration was last changed.'),
  })
  .meta({ id: 'Integration', description: 'The settings and secrets with which a project uses a provider.' })

/** The request body that creates or replaces an integration. */
export const IntegrationPut = z
  .strictObject({
    settings,
    secrets: providerFields.optional().meta({
      description:
        'The secrets to set. An omitted secret keeps its value; `null` removes it. A request that changes where secrets are sent, for example the host, must provide every stored secret again, or remove it.',
      examples: [{ password: 'correct horse' }],
    }),
  })
  .meta({ id: 'IntegrationPut', description: 'The settings and secrets with which a project uses a provider.' })

/** The inbound address of an integration, returned once. */
export const InboundAddress = z
  .object({
    path: z.string().meta({
      description:
        "The path at which this deployment receives the provider's reports. It contains a secret and is returned only once. Append it to the deployment's base URL.",
      examples: ['/v1/inbound/mailgun/fpi_0vT1oB3rJmQ8kXw2Yc5uZ7eA9dLhNsGt'],
    }),
    rotated_at: TimestampField('When the address was created.'),
    previous_expires_at: Timestamp.nullable().meta({ description: 'When the previous address expires; `null` if there was none.' }),
  })
  .meta({ id: 'InboundAddress', description: "The address at which a deployment receives a provider's reports." })

/** A page of integrations. */
export const IntegrationPage = PageOf('IntegrationPage', Integration)

const projectParams = z.object({ project_id: IdParam('project', 'The id of the project.') })
const params = projectParams.extend({ source_type: z.string().meta({ description: 'The delivery provider.', examples: ['smtp'] }) })

const c = initContract()

const listAccess = declareRead('settings:read', ['not_found', 'invalid_cursor'])
const getAccess = declareRead('settings:read', ['not_found'])
const putAccess = declareWrite('settings:write', ['not_found', 'etag_mismatch', 'encryption_not_configured'])
const deleteAccess = declareRead('settings:write', ['not_found', 'etag_mismatch'])
const rotateAccess = declareRead('settings:write', ['not_found', 'inbound_not_supported', ...idempotentSecretWrite.problems])

/** The integration operations. */
export const integrations = c.router(
  {
    list: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/integrations',
      summary: 'List integrations',
      description: 'Returns the integrations of a project, oldest first, without secret values.',
      pathParams: projectParams,
      query: z.strictObject(pageQuery),
      responses: { 200: IntegrationPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/settings/projects/:project_id/integrations/:source_type',
      summary: 'Get an integration',
      description: 'Returns one integration of a project, without secret values.',
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
        'Creates an integration or replaces its settings. An omitted secret keeps its value; `null` removes it. A request that changes where secrets are sent, for example the host, must provide every stored secret again, or remove it. Otherwise, the response is 422 with the field code `required`.',
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
      description:
        "Deletes an integration with its settings and secrets. Pending deliveries do not fall back to the deployment's credentials.",
      pathParams: params,
      query: z.strictObject({}),
      headers: conditionalWrite,
      responses: { 204: c.noBody(), ...deleteAccess.responses },
      metadata: deleteAccess.metadata,
    },
    rotateInbound: {
      method: 'POST',
      path: '/v1/settings/projects/:project_id/integrations/:source_type/rotate-inbound',
      summary: 'Create or rotate the inbound address',
      description:
        "Creates an address at which Flowpost receives the provider's reports, such as bounces. The address is returned only once. The previous address stays valid for 24 hours, so that the provider can be switched to the new one without a gap. A second rotation within that time invalidates the oldest address at once. To revoke an address, rotate it twice. If the provider sends no reports, the response is 409 `inbound_not_supported`.",
      pathParams: params,
      query: z.strictObject({}),
      headers: idempotentSecretWrite.headers,
      body: c.noBody(),
      responses: { 200: InboundAddress, ...rotateAccess.responses },
      metadata: { ...rotateAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
