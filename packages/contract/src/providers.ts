import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead } from './access.ts'
import { SourceType } from './flows.ts'
import { PageOf, pageQuery } from './primitives.ts'

const schema = z.record(z.string(), z.unknown())

/** A delivery provider that the deployment has registered. */
export const Provider = z
  .object({
    source_type: SourceType,
    kind: z
      .enum(['email', 'chat'])
      .meta({ description: 'The kind of message that the provider delivers. Webhooks are `chat`: they receive plain text.' }),
    settings_schema: schema.meta({ description: 'The JSON Schema for the `settings` of an integration with this provider.' }),
    secrets_schema: schema.meta({ description: 'The JSON Schema for the `secrets` of an integration with this provider.' }),
  })
  .meta({ id: 'Provider', description: 'A delivery provider that the deployment has registered.' })

/** A page of providers. */
export const ProviderPage = PageOf('ProviderPage', Provider)

const listAccess = declareRead('settings:read', ['invalid_cursor'])

/** The provider operations. */
export const providers = initContract().router(
  {
    list: {
      method: 'GET',
      path: '/v1/settings/providers',
      summary: 'List providers',
      description:
        'Returns the delivery providers that the deployment has registered, with the JSON Schemas of their settings and secrets.',
      query: z.strictObject(pageQuery),
      responses: { 200: ProviderPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
