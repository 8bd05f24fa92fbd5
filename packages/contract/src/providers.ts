import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead } from './access.ts'
import { SourceType } from './flows.ts'
import { PageOf, pageQuery } from './primitives.ts'

const schema = z.record(z.string(), z.unknown())

/** A delivery provider of the deployment. */
export const Provider = z
  .object({
    source_type: SourceType,
    kind: z.enum(['email', 'chat']).meta({ description: 'The kind of messages that the provider delivers.' }),
    settings_schema: schema.meta({ description: 'The JSON Schema of the `settings` of an integration.' }),
    secrets_schema: schema.meta({ description: 'The JSON Schema of the `secrets` of an integration.' }),
  })
  .meta({ id: 'Provider', description: 'A delivery provider of the deployment.' })

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
      description: 'Returns the delivery providers of the deployment with the JSON Schemas of their settings and secrets.',
      query: z.strictObject(pageQuery),
      responses: { 200: ProviderPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
