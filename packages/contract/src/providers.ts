import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads } from './access.ts'
import { SourceType } from './flows.ts'
import { PageOf, pageQuery } from './primitives.ts'

const schema = z.record(z.string(), z.unknown())

/** A delivery provider that the deployment serves. */
export const Provider = z
  .object({
    source_type: SourceType,
    kind: z.enum(['email', 'chat']),
    settings_schema: schema.meta({ description: "JSON Schema of an integration's `settings`." }),
    secrets_schema: schema.meta({ description: "JSON Schema of an integration's `secrets`." }),
  })
  .meta({ id: 'Provider', description: 'A delivery provider that the deployment serves.' })

/** A page of providers. */
export const ProviderPage = PageOf('ProviderPage', Provider)

const listAccess = reads('settings:read', ['invalid_cursor'])

/** The operations on providers. */
export const providers = initContract().router(
  {
    list: {
      method: 'GET',
      path: '/v1/settings/providers',
      summary: 'List providers',
      description: 'Lists the delivery providers that this deployment serves, with the schemas of their settings and secrets.',
      query: z.strictObject(pageQuery),
      responses: { 200: ProviderPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
