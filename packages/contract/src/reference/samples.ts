import { type ApiDescription, bodyOf, type Operation, type Schema } from './api-description.ts'

const typeExamples: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, object: {}, array: [], null: null }

/**
 * Returns an example value for a schema: the schema's own example, or one composed from the examples of its required
 * fields.
 */
export const exampleOf = (api: ApiDescription, schema: Schema): unknown => {
  const resolved = api.resolve(schema)
  const { examples = [], default: fallback, properties, required = [], items, anyOf, oneOf, allOf, type } = resolved
  const options = resolved.enum ?? resolved['x-extensible-enum'] ?? []
  if (examples.length > 0) return examples[0]
  if (resolved.const !== undefined) return resolved.const
  if (fallback !== undefined) return fallback
  if (options.length > 0) return options[0]
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name))
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(api, property)]))
  }
  if (items) return [exampleOf(api, items)]
  const [first] = anyOf ?? oneOf ?? allOf ?? []
  if (first) return exampleOf(api, first)
  const [firstType = 'string'] = [type ?? []].flat()
  return Object.hasOwn(typeExamples, firstType) ? typeExamples[firstType] : '…'
}

/** Quotes text for a shell in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

/** Returns a curl command for an operation. It uses the environment variables `FLOWPOST_BASE_URL` and `FLOWPOST_API_KEY`. */
export const curlSample = (api: ApiDescription, operation: Operation): string => {
  const { method, path, parameters } = operation
  const body = bodyOf(operation)
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema }) => text.replace(`{${name}}`, String(exampleOf(api, schema))), path)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(api, schema)))}`)
  const url = `"$FLOWPOST_BASE_URL${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `}${url}`,
    '-H "Authorization: Bearer $FLOWPOST_API_KEY"',
  ]
  if (body) {
    const json = JSON.stringify(exampleOf(api, body), null, 2).replaceAll('\n', '\n  ')
    lines.push('-H "Content-Type: application/json"', `-d ${quote(json)}`)
  }
  return lines.join(' \\\n  ')
}

/** Reads the examples in the SDK's method reference. Returns each method's example, keyed by operation id. */
export const parseSdkExamples = (methodReference: string): ReadonlyMap<string, string> =>
  new Map(
    [...methodReference.matchAll(/^### (\S+)\n\n```ts\n([\s\S]*?)^```$/gm)].map(([, method = '', code = '']) => [method, code.trimEnd()]),
  )
