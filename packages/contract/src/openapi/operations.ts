import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { z } from 'zod'
import type { OperationMetadata } from '../access.ts'
import { type JsonSchema, type Schemas, withSourceTypes } from './schemas.ts'

/** An operation of the contract and the keys that lead to it. */
export interface NamedRoute {
  readonly keys: readonly string[]
  readonly route: AppRoute
  readonly metadata: OperationMetadata
}

/** Every operation of a contract, in its order. */
export const routesOf = (router: AppRouter, parents: readonly string[] = []): NamedRoute[] =>
  Object.entries(router).flatMap(([key, entry]) => {
    const keys = [...parents, key]
    if (!isAppRoute(entry)) return routesOf(entry, keys)
    const metadata = entry.metadata as OperationMetadata | undefined
    if (!metadata) throw new Error(`${keys.join('.')} declares neither scope nor problems.`)
    return [{ keys, route: entry, metadata }]
  })

/** A path in OpenAPI's form: `/a/{b}` for `/a/:b`. */
export const pathOf = ({ path }: AppRoute): string => path.replace(/:([a-z_]+)/g, '{$1}')

const headerCase = (name: string): string => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

const parameter = (place: 'path' | 'query' | 'header', name: string, required: boolean, schema: JsonSchema) => {
  const { description, ...rest } = schema
  return {
    name: place === 'header' ? headerCase(name) : name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }
}

const objectParameters = (place: 'path' | 'query', schema: unknown, schemas: Schemas) => {
  if (!(schema instanceof z.ZodType)) return []
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, each]) => parameter(place, name, required.includes(name), each))
}

const headerParameters = (headers: unknown, schemas: Schemas) =>
  Object.entries((headers ?? {}) as Record<string, z.ZodType>).map(([name, schema]) =>
    parameter('header', name, !schema.safeParse(undefined).success, schemas.of(schema, 'input')),
  )

/** Every parameter of a route; a `source_type` in a path says which providers there are. */
export const parametersOf = (route: AppRoute, schemas: Schemas, sourceTypes: readonly string[] | undefined) => [
  ...objectParameters('path', route.pathParams, schemas).map((each) =>
    sourceTypes && each.name === 'source_type' ? parameter('path', each.name, true, withSourceTypes(each.schema, sourceTypes)) : each,
  ),
  ...objectParameters('query', route.query, schemas),
  ...headerParameters(route.headers, schemas),
]

/** The body of a route, if it takes one. */
export const requestBodyOf = (route: AppRoute, schemas: Schemas): object | undefined => {
  const body: unknown = 'body' in route ? route.body : undefined
  if (!(body instanceof z.ZodType)) return undefined
  return { required: true, content: { 'application/json': { schema: schemas.of(body, 'input') } } }
}
