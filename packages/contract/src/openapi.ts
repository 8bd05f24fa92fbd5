import { scopes } from './access.ts'
import { api } from './api.ts'
import { description, tags } from './openapi/description.ts'
import { headerComponents } from './openapi/headers.ts'
import { type NamedRoute, parametersOf, pathOf, requestBodyOf, routesOf } from './openapi/operations.ts'
import { createResponses } from './openapi/responses.ts'
import { createSchemas, type JsonSchema } from './openapi/schemas.ts'

/** The options of {@link createOpenApiDocument}. */
export interface OpenApiOptions {
  /** The version of the server, such as `1.2.0`. */
  readonly version: string
  /** The server's URL, without a trailing slash. @default `/`, the origin that serves the document */
  readonly serverUrl?: string
  /** The names of the delivery providers that the deployment has registered. @default the built-in ones */
  readonly sourceTypes?: readonly string[]
  /** The URL of the OIDC issuer whose access tokens the deployment accepts. @default none */
  readonly oidcIssuer?: string
}

/** One operation of an {@link OpenApiDocument}. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
}

/** An OpenAPI 3.1 document as plain JSON. Source: https://spec.openapis.org/oas/v3.1.1.html. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, object>>
    readonly examples: Readonly<Record<string, object>>
    readonly headers: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

const tagOf = ({ keys: [group = ''] }: NamedRoute) => {
  const tag = tags[group]
  if (!tag) throw new Error(`The operation group ${group} has no tag.`)
  return tag
}

const scopeList = scopes.map((scope) => `\`${scope}\``).join(', ')

const securitySchemes = (oidcIssuer: string | undefined) => ({
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'fp_<id>_<secret> or fp_test_<id>_<secret>',
    description: `An API key, as \`Authorization: Bearer fp_...\`. Each operation states the scope that it requires. The scopes are ${scopeList}.`,
  },
  oidc: {
    ...(oidcIssuer === undefined
      ? { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
      : { type: 'openIdConnect', openIdConnectUrl: `${oidcIssuer.replace(/\/$/, '')}/.well-known/openid-configuration` }),
    description:
      "An access token from the deployment's OIDC issuer, if an issuer is configured. The token's `scope` claim must contain the scope that the operation requires.",
  },
})

/** Generates the OpenAPI 3.1 document of the HTTP API from the contract. */
export const createOpenApiDocument = (options: OpenApiOptions): OpenApiDocument => {
  const { version, serverUrl = '/', sourceTypes, oidcIssuer } = options
  const schemas = createSchemas(sourceTypes)
  const responses = createResponses(schemas)
  const namedRoutes = routesOf(api)
  const routes = namedRoutes.map(({ route }) => route)

  const describeOperation = (namedRoute: NamedRoute): OpenApiOperation => {
    const { keys, route, metadata } = namedRoute
    const requestBody = requestBodyOf(route, schemas)
    return {
      operationId: keys.join('.'),
      summary: route.summary ?? keys.join(' '),
      description: `${route.description ?? ''}\n\nRequires the scope \`${metadata.scope}\`${metadata.unbound ? ' and a credential that is not bound to one project' : ''}.`,
      tags: [tagOf(namedRoute).name],
      security: [{ apiKey: [metadata.scope] }, { oidc: [metadata.scope] }],
      parameters: parametersOf(route, schemas, sourceTypes),
      ...(requestBody ? { requestBody } : {}),
      responses: responses.of(route, metadata, routes),
    }
  }

  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const namedRoute of namedRoutes) {
    const path = pathOf(namedRoute.route)
    paths[path] = { ...paths[path], [namedRoute.route.method.toLowerCase()]: describeOperation(namedRoute) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Flowpost', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    tags: [...new Set(namedRoutes.map(tagOf))],
    paths,
    components: {
      schemas: schemas.components,
      responses: responses.components,
      examples: responses.examples,
      headers: headerComponents,
      securitySchemes: securitySchemes(oidcIssuer),
    },
  }
}
