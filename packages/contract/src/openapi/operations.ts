import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { z } from 'zod'
import type { OperationMetadata } from '../access.ts'
import { type JsonSchema, type Schemas, withSourceTypes } from './schemas.ts'

/** An operation in the contract. `keys` are the router keys that lead to it, such as `flows` and `create`. */
export interface NamedRoute {
  readonly keys: readonly string[]
  readonly route: AppRoute
  readonly metadata: OperationMetadata
}

/** Returns every operation in a contract, in definition order. */
export const routesOf = (router: AppRouter, parents: readonly string[] = []): NamedRoute[] =>
  Object.entries(router).flatMap(([key, entry]) => {
    const keys = [...parents, key]
    if (!isAppRoute(entry)) return routesOf(entry, keys)
    const metadata = entry.metadata as OperationMetadata | undefined
    if (!metadata) throw new Error(`${keys.join('.')} declares no metadata.`)
    return [{ keys, route: entry, metadata }]
  })

/** Returns the path of a route in OpenAPI syntax: `/a/{b}` for `/a/:b`. */
export const pathOf = ({ path }: AppRoute): string => path.replace(/:([a-z_]+)/g, '{$1}')

const toHeaderCase = (name: string): string => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

const toParameter = (place: 'path' | 'query' | 'header', name: string, required: boolean, schema: JsonSchema) => {
  const { description, ...rest } = schema
  return {
    name: place === 'header' ? toHeaderCase(name) : name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }
}

const objectParametersOf = (place: 'path' | 'query', schema: unknown, schemas: Schemas) => {
  if (!(schema instanceof z.ZodType)) return []
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => toParameter(place, name, required.includes(name), property))
}

const headerParametersOf = (headers: unknown, schemas: Schemas) =>
  Object.entries((headers ?? {}) as Record<string, z.ZodType>).map(([name, schema]) =>
    toParameter('header', name, !schema.safeParse(undefined).success, schemas.of(schema, 'input')),
  )

/**
 * Returns every OpenAPI parameter of a route. If `sourceTypes` is given, the description of the path parameter `source_type`
 * lists these source types.
 */
export const parametersOf = (route: AppRoute, schemas: Schemas, sourceTypes: readonly string[] | undefined) => [
  ...objectParametersOf('path', route.pathParams, schemas).map((parameter) =>
    sourceTypes && parameter.name === 'source_type'
      ? toParameter('path', parameter.name, true, withSourceTypes(parameter.schema, sourceTypes))
      : parameter,
  ),
  ...objectParametersOf('query', route.query, schemas),
  ...headerParametersOf(route.headers, schemas),
]

/** Returns the OpenAPI request body of a route; `undefined` if the route accepts none. */
export const requestBodyOf = (route: AppRoute, schemas: Schemas): object | undefined => {
  const body: unknown = 'body' in route ? route.body : undefined
  if (!(body instanceof z.ZodType)) return undefined
  return { required: true, content: { 'application/json': { schema: schemas.of(body, 'input') } } }
}
