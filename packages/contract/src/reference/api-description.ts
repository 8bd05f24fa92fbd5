import type { OpenApiDocument, OpenApiOperation } from '../openapi.ts'

/** The JSON Schema keywords that an API reference shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly 'x-extensible-enum'?: readonly unknown[]
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
  readonly maxProperties?: number
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
  readonly headers?: Readonly<Record<string, unknown>>
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

/** An OpenAPI document in the form that an API reference needs. */
export interface ApiDescription {
  readonly document: OpenApiDocument
  /** Every operation, in document order. References to shared responses are resolved. */
  readonly operations: readonly Operation[]
  /** Returns the schema that a reference points to. If `schema` is not a reference, returns it unchanged. */
  resolve(schema: Schema): Schema
}

const lastSegment = (reference: string): string => reference.split('/').at(-1) ?? ''

/** Reads the operations and schemas of an OpenAPI document. */
export const describeApi = (document: OpenApiDocument): ApiDescription => {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>
  const sharedResponses = document.components.responses as Readonly<Record<string, Response>>
  const resolveResponse = (response: Response & { $ref?: string }): Response =>
    response.$ref === undefined ? response : (sharedResponses[lastSegment(response.$ref)] ?? response)
  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...(operation as unknown as Operation),
        method: method.toUpperCase(),
        path,
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [status, resolveResponse(response as Response)]),
        ),
      })),
    ),
    resolve: (schema) => {
      const { $ref, ...rest } = schema
      return $ref === undefined ? schema : { ...schemas[lastSegment($ref)], ...rest }
    },
  }
}

/** Returns the schema of the JSON body that an operation accepts, if any. */
export const bodyOf = ({ requestBody }: Operation): Schema | undefined => requestBody?.content['application/json'].schema

/** A response with a status below 400. */
export interface Success {
  readonly status: string
  readonly statusText: string
  readonly description: string
  readonly headers: readonly string[]
  /** The schema of the body. Absent for a response without a body. */
  readonly schema?: Schema
}

const statusTexts: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No content', 304: 'Not modified' }

/** Returns an operation's responses, except problems. */
export const successesOf = ({ responses }: Operation): Success[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { description, headers = {}, content }]) => {
      const schema = content?.['application/json']?.schema
      return {
        status,
        statusText: statusTexts[status] ?? '',
        description,
        headers: Object.keys(headers),
        ...(schema && { schema }),
      }
    })

/** Returns the problem codes that an operation can return, by HTTP status. */
export const problemsOf = ({ responses }: Operation): readonly (readonly [status: string, codes: readonly string[]])[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => [status, [...description.matchAll(/^`([a-z_]+)`: /gm)].map(([, code = '']) => code)])

/** Returns the operations that can return the given problem code. */
export const operationsWith = ({ operations }: ApiDescription, code: string): Operation[] =>
  operations.filter((operation) => problemsOf(operation).some(([, codes]) => codes.includes(code)))

/** Returns the anchor of an operation on its tag's page. */
export const anchorOf = ({ operationId }: Operation): string => operationId.replaceAll('.', '-').toLowerCase()

/** Returns the name of a tag for use in a URL. */
export const tagSlug = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

/** Returns the operations that have the given tag. */
export const operationsOf = ({ operations }: ApiDescription, tag: string): Operation[] =>
  operations.filter(({ tags }) => tags.includes(tag))
