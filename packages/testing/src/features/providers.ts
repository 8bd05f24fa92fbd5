import type { Handlers } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { Provider } from '../state/api-types.ts'
import type { FieldsSchema, MockContext, MockProvider } from '../state/mock-context.ts'

const jsonSchemaOf = (schema: FieldsSchema) => schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Record<string, unknown>

const toProvider = ({ id, kind, settings, secrets }: MockProvider): Provider => ({
  source_type: id,
  kind,
  settings_schema: jsonSchemaOf(settings),
  secrets_schema: jsonSchemaOf(secrets),
})

/** Creates the handlers of the provider operations. */
export const createProviders = (context: MockContext): Handlers<'providers'> => {
  // Cursors can identify a provider by its index, because the list of providers never changes.
  const rows = () => [...context.settings.providers.values()].map((provider, index) => ({ id: String(index).padStart(6, '0'), provider }))
  return {
    list: ({ query }) => {
      const request = parsePageRequest('providers', 'oldest first', {}, query)
      return { status: 200, body: createPage(request, rows(), ({ provider }) => toProvider(provider)) }
    },
  }
}
