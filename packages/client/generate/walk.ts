import { type AppRoute, type AppRouter, ContractNoBody, isAppRoute } from '@ts-rest/core'
import { clientHeaders, excluded, headerOptions, repeatable, reserved, results, variants } from './rules.ts'
import { asSchema, type Schema } from './schema.ts'

/** One operation of the contract. */
export interface Operation {
  /** The keys from the root of the contract to the operation. */
  readonly keys: readonly string[]
  /** `keys` joined by dots. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly pathParams: readonly { readonly name: string; readonly schema: Schema }[]
  readonly body: Schema | undefined
  /** The query schema; `undefined` if there are no query parameters. */
  readonly query: Schema | undefined
  readonly headers: readonly string[]
  /** The body schema of each successful response; `undefined` for a response without a body. */
  readonly responses: readonly { readonly status: number; readonly schema: Schema | undefined }[]
  /** The body schema of all errors. */
  readonly problem: Schema | undefined
  readonly scope: string
  readonly problems: readonly string[]
  readonly idempotent: boolean
}

interface Metadata {
  readonly scope: string
  readonly problems: readonly string[]
  readonly idempotent: boolean
}

/** Returns the operations that have a method in the SDK, in contract order. */
export const walk = (contract: AppRouter): Operation[] => {
  const all = visit(contract, [])
  const names = new Set(all.map((operation) => operation.name))
  const ruleNames = [
    ...Object.keys({ ...excluded, ...repeatable, ...variants }),
    ...Object.entries(results).flatMap(([name, { follow }]) => [name, follow]),
  ]
  for (const name of ruleNames)
    if (!names.has(name)) throw new Error(`rules.ts refers to ${name}, which is not an operation of the contract.`)
  return all.filter((operation) => !Object.hasOwn(excluded, operation.name))
}

const visit = (router: AppRouter, parents: readonly string[]): Operation[] =>
  Object.entries(router).flatMap(([key, entry]) => {
    const keys = [...parents, key]
    if (reserved.includes(key) || !/^[a-z][A-Za-z0-9]*$/.test(key))
      throw new Error(`${keys.join('.')}: invalid name for a method or a group. Use camelCase, and no name that rules.ts reserves.`)
    return isAppRoute(entry) ? [operation(entry, keys)] : visit(entry, keys)
  })

const operation = (route: AppRoute, keys: readonly string[]): Operation => {
  const name = keys.join('.')
  const metadata = readMetadata(route.metadata, name)
  const headers = headerNames(route.headers, name)
  if (metadata.idempotent !== headers.includes('idempotency-key'))
    throw new Error(`${name}: \`metadata.idempotent\` and the header \`idempotency-key\` must be declared together.`)
  if (!route.summary || !route.description) throw new Error(`${name}: a summary and a description are required.`)
  return {
    keys,
    name,
    method: route.method,
    path: route.path,
    summary: route.summary,
    description: route.description,
    deprecated: route.deprecated ?? false,
    pathParams: pathParams(route, name),
    body: requestBody(route, name),
    query: queryOf(route, name),
    headers,
    responses: successes(route, name),
    problem: problemOf(route, name),
    ...metadata,
  }
}

const readMetadata = (value: unknown, name: string): Metadata => {
  const { scope, problems, idempotent } = (value ?? {}) as Partial<Metadata>
  if (typeof scope !== 'string' || !Array.isArray(problems) || typeof idempotent !== 'boolean')
    throw new Error(`${name}: \`metadata\` must contain scope, problems and idempotent.`)
  return { scope, problems: [...new Set(problems)], idempotent }
}

const headerNames = (headers: unknown, name: string): string[] => {
  const names = Object.keys(headers ?? {}).filter((header) => !clientHeaders.includes(header))
  for (const header of names)
    if (!Object.hasOwn(headerOptions, header)) throw new Error(`${name}: rules.ts has no option for the header \`${header}\`.`)
  return names
}

const shapeOf = (schema: unknown, where: string): Record<string, Schema> => {
  const { def } = asSchema(schema, where)._zod
  if (def.type !== 'object') throw new Error(`${where}: expected an object schema.`)
  return def.shape as Record<string, Schema>
}

const pathParams = (route: AppRoute, name: string) => {
  const inPath = [...route.path.matchAll(/:([^/]+)/g)].map((match) => match[1] ?? '')
  const shape = route.pathParams ? shapeOf(route.pathParams, `${name} path`) : {}
  if (new Set([...inPath, ...Object.keys(shape)]).size !== inPath.length || inPath.some((param) => !shape[param]))
    throw new Error(`${name}: \`pathParams\` and ${route.path} must have the same parameters.`)
  return inPath.map((param) => ({ name: param, schema: asSchema(shape[param], `${name} path.${param}`) }))
}

const requestBody = (route: AppRoute, name: string): Schema | undefined => {
  if ('contentType' in route && route.contentType && route.contentType !== 'application/json')
    throw new Error(`${name}: only JSON bodies are supported, not ${route.contentType}.`)
  const body = 'body' in route ? route.body : undefined
  return body === undefined || body === ContractNoBody ? undefined : asSchema(body, `${name} body`)
}

const queryOf = (route: AppRoute, name: string): Schema | undefined => {
  if (!route.query || Object.keys(shapeOf(route.query, `${name} query`)).length === 0) return undefined
  return asSchema(route.query, `${name} query`)
}

const successes = (route: AppRoute, name: string): Operation['responses'] => {
  const responses = Object.entries(route.responses).flatMap(([key, response]) => {
    const status = Number(key)
    const at = `${name} ${status}`
    if (status === 304 && response === ContractNoBody) return []
    if (status >= 400) return []
    if (status < 200 || status > 299) throw new Error(`${at}: unsupported success status.`)
    return [{ status, schema: response === ContractNoBody ? undefined : asSchema(response, at) }]
  })
  if (responses.length === 0) throw new Error(`${name}: declares no successful response.`)
  return responses
}

const problemOf = (route: AppRoute, name: string): Schema | undefined => {
  const bodies = Object.entries(route.responses).flatMap(([status, response]) => {
    if (Number(status) < 400) return []
    const { contentType, body } = (response ?? {}) as { contentType?: string; body?: unknown }
    if (contentType !== 'application/problem+json') throw new Error(`${name} ${status}: every error must be problem+json.`)
    return [asSchema(body, `${name} ${status}`)]
  })
  if (new Set(bodies).size > 1) throw new Error(`${name}: all errors must have the same body schema.`)
  return bodies[0]
}
