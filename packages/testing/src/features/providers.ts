import type { Handlers } from '../http/call.ts'
import { pageOf, pageRequest } from '../http/cursor.ts'
import type { FieldsSchema, MockProvider } from '../state/providers.ts'
import type { Provider } from '../state/wire.ts'
import type { World } from '../state/world.ts'

const jsonSchemaOf = (schema: FieldsSchema) => schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Record<string, unknown>

const toProvider = ({ id, kind, settings, secrets }: MockProvider): Provider => ({
  source_type: id,
  kind,
  settings_schema: jsonSchemaOf(settings),
  secrets_schema: jsonSchemaOf(secrets),
})

/** What the operations on providers do. */
export const createProviders = (world: World): Handlers<'providers'> => {
  // A cursor names a place in the order of registration, which never changes.
  const rows = () => [...world.settings.providers.values()].map((provider, index) => ({ id: String(index).padStart(6, '0'), provider }))
  return {
    list: ({ query }) => {
      const request = pageRequest('providers', 'oldest first', {}, query)
      return { status: 200, body: pageOf(request, rows(), ({ provider }) => toProvider(provider)) }
    },
  }
}
