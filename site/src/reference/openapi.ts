import { createOpenApiDocument, type OpenApiOperation } from '@flowpost/contract'
import { readRepositoryFile } from '../repository.ts'

/** The keywords of a JSON Schema that the reference shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-extensible-enum'?: readonly string[]
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

/** A response of an operation. */
export interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** An operation with its method and path. */
export interface Operation extends Omit<OpenApiOperation, 'parameters' | 'requestBody' | 'responses'> {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<Record<string, Response>>
}

const { version } = JSON.parse(readRepositoryFile('apps/api/package.json')) as { version: string }

/** The OpenAPI document of the server. */
export const openApi = createOpenApiDocument({ version })

const schemas = openApi.components.schemas as Readonly<Record<string, Schema>>
const sharedResponses = openApi.components.responses as Readonly<Record<string, Response>>

/** Returns the name of a referenced schema. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

/** Returns the schema that a reference points to, or the schema itself. */
export const resolve = (schema: Schema): Schema => {
  const name = nameOf(schema)
  if (name === undefined) return schema
  const { $ref: _, ...rest } = schema
  return { ...schemas[name], ...rest }
}

const resolveResponse = (response: Response & { $ref?: string }): Response =>
  response.$ref === undefined ? response : (sharedResponses[response.$ref.split('/').at(-1) ?? ''] ?? response)

/** Every operation, in the order of the document. */
export const operations: readonly Operation[] = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...(operation as unknown as Operation),
    method: method.toUpperCase(),
    path,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolveResponse(response as Response)]),
    ),
  })),
)

/** Returns the problem codes that an operation can return, by HTTP status. */
export const problemsOf = ({ responses }: Operation): readonly (readonly [status: string, codes: readonly string[]])[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => [status, [...description.matchAll(/^`([a-z_]+)`: /gm)].map(([, code = '']) => code)])

/** Returns the address of the page with the operations of a tag. */
export const tagUrl = (tag: string): string => `/reference/api/${tag.toLowerCase().replaceAll(' ', '-')}`

/** Returns the anchor of an operation on the page of its tag. */
export const anchorOf = ({ operationId }: Operation): string => operationId.replaceAll('.', '-').toLowerCase()

/** Returns the address of an operation. */
export const operationUrl = (operation: Operation): string => `${tagUrl(operation.tags[0] ?? '')}#${anchorOf(operation)}`
