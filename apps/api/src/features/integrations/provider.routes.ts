import { createHash } from 'node:crypto'
import { api } from '@flowpost/contract'
import type { Provider, Registry } from '@flowpost/delivery'
import { initServer } from '@ts-rest/express'
import { z } from 'zod'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Uuid } from '../../shared/ids.ts'

const list = 'providers'

/** Returns the id that represents a provider in cursors: a UUID derived from its `source_type`. */
const cursorIdOf = (sourceType: string): Uuid => {
  const hex = createHash('sha256').update(sourceType).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/**
 * Returns the JSON Schema of the input that a zod schema accepts. Omits checks that JSON Schema cannot express, such as custom
 * refinements.
 */
const jsonSchemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>

const describe = (provider: Provider) => ({
  id: cursorIdOf(provider.id),
  response: {
    source_type: provider.id,
    kind: provider.kind,
    settings_schema: jsonSchemaOf(provider.settings),
    secrets_schema: jsonSchemaOf(provider.secrets),
  },
})

/** Creates the provider routes. Providers are listed in the order of their registration. */
export const createProviderRoutes = (deps: { registry: Registry }) => {
  const descriptions = deps.registry.list().map(describe)

  return initServer().router(api.providers, {
    list: async ({ query: { limit, cursor } }) => {
      const after = cursor === undefined ? undefined : decodeCursor(list, {}, cursor)
      const from = after === undefined ? 0 : descriptions.findIndex(({ id }) => id === after) + 1
      if (after !== undefined && from === 0)
        throw new ApiError('invalid_cursor', 'The provider that the cursor refers to is no longer registered. Start over without a cursor.')
      const rows = descriptions.slice(from, from + limit + 1)
      return { status: 200, body: pageOf({ list, filters: {}, limit, rows, toResponse: ({ response }) => response }) }
    },
  })
}
