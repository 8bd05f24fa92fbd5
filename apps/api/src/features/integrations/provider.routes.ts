import { createHash } from 'node:crypto'
import { api } from '@flowpost/contract'
import type { Provider, Registry } from '@flowpost/delivery'
import { initServer } from '@ts-rest/express'
import { z } from 'zod'
import { decodeCursor, pageOf } from '../../http/cursor.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Uuid } from '../../shared/ids.ts'

const list = 'providers'

/** What a cursor continues after: a UUID made from the provider's name, for comparison alone. */
const cursorIdOf = (sourceType: string): Uuid => {
  const hex = createHash('sha256').update(sourceType).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** A schema as clients read it: what they may give. What JSON Schema cannot say, a provider's own check for one, is left open. */
const jsonSchemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>

const describe = (provider: Provider) => ({
  id: cursorIdOf(provider.id),
  wire: {
    source_type: provider.id,
    kind: provider.kind,
    settings_schema: jsonSchemaOf(provider.settings),
    secrets_schema: jsonSchemaOf(provider.secrets),
  },
})

/** The routes of providers: the registry as clients see it, in the order of registration. */
export const createProviderRoutes = (deps: { registry: Registry }) => {
  const described = deps.registry.list().map(describe)

  return initServer().router(api.providers, {
    list: async ({ query: { limit, cursor } }) => {
      const after = cursor === undefined ? undefined : decodeCursor(list, {}, cursor)
      const from = after === undefined ? 0 : described.findIndex(({ id }) => id === after) + 1
      if (after !== undefined && from === 0)
        throw new ApiError(
          'invalid_cursor',
          'The provider that the cursor continues after is not served any more. Start again without a cursor.',
        )
      const rows = described.slice(from, from + limit + 1)
      return { status: 200, body: pageOf({ list, filters: {}, limit, rows, toResponse: ({ wire }) => wire }) }
    },
  })
}
