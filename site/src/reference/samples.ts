import { readRepositoryFile } from '../repository.ts'
import { type Operation, resolve, type Schema } from './openapi.ts'

const examplesByMethod = new Map(
  [...readRepositoryFile('packages/client/docs/reference.md').matchAll(/^### (\S+)\n\n```ts\n([\s\S]*?)^```$/gm)].map(
    ([, method = '', code = '']): [string, string] => [method, code.trimEnd()],
  ),
)

/** Returns the example of the SDK method of an operation, from the method reference that the tests compile and run. */
export const typeScriptSample = ({ operationId }: Operation): string | undefined => examplesByMethod.get(operationId)

/** Returns an example of a schema: its own, or one composed from the examples of its required fields. */
export const exampleOf = (schema: Schema): unknown => {
  const {
    examples,
    default: fallback,
    const: constant,
    enum: options,
    properties,
    required = [],
    items,
    anyOf,
    oneOf,
    allOf,
    type,
  } = resolve(schema)
  if (examples && examples.length > 0) return examples[0]
  if (constant !== undefined) return constant
  if (fallback !== undefined) return fallback
  if (options) return options[0]
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name))
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property)]))
  }
  if (items) return [exampleOf(items)]
  const [first] = anyOf ?? oneOf ?? allOf ?? []
  if (first) return exampleOf(first)
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? 1 : '…'
}

/** Quotes text for a shell in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

/** Returns a curl command for an operation. */
export const curlSample = ({ method, path, parameters, requestBody }: Operation): string => {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema }) => text.replace(`{${name}}`, String(exampleOf(schema))), path)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema)))}`)
  const url = `"$FLOWPOST_BASE_URL${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && requestBody) ? '' : `-X ${method} `}${url}`,
    '-H "Authorization: Bearer $FLOWPOST_API_KEY"',
  ]
  if (requestBody) {
    const body = JSON.stringify(exampleOf(requestBody.content['application/json'].schema), null, 2).replaceAll('\n', '\n  ')
    lines.push('-H "Content-Type: application/json"', `-d ${quote(body)}`)
  }
  return lines.join(' \\\n  ')
}
