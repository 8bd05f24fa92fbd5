import type { OpenApiDocument, OpenApiOperation } from '@flowpost/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FuzzRequest } from './api-requests.ts'

/** A response with its body. */
export interface FuzzResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly durationMs: number
}

/** A response object of an OpenAPI document. */
interface DocumentedResponse {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, unknown>>
}

// Ignores paths outside the contract, because other tests cover them.
const pages = /^\/(livez|readyz|metrics|openapi\.json|docs(\/.*)?|outbox(\/.*)?)?\/?$/i
const maxDurationMs = 10_000
const requiredHeaders = ['x-request-id', 'x-content-type-options', 'content-security-policy']

const escapePointer = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/**
 * Creates a function that checks a response against the rules for all responses and against the OpenAPI document. It returns
 * the first violation.
 */
export const createResponseCheck = (document: OpenApiDocument) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema(document, 'openapi.json')
  const validators = new Map<string, ValidateFunction>()
  const validate = (pointer: string, value: unknown): string | undefined => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` })
    validators.set(pointer, validator)
    return validator(value) ? undefined : ajv.errorsText(validator.errors)
  }

  const templates = Object.entries(document.paths).map(([template, item]) => ({
    template,
    item,
    // The server ignores case and a trailing slash.
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  }))

  const typeOf = ({ headers }: FuzzResponse): string => String(headers['content-type'] ?? '').split(';')[0] ?? ''

  const checkProblem = (response: FuzzResponse, statuses: readonly number[]): string | undefined => {
    if (!statuses.includes(response.status)) return `expected ${statuses.join(' or ')}`
    if (typeOf(response) !== 'application/problem+json') return `content type ${typeOf(response)}`
    return validate('/components/schemas/Problem', JSON.parse(response.body))
  }

  const checkDocumented = (
    template: string,
    method: string,
    operation: OpenApiOperation,
    response: FuzzResponse,
    isHead: boolean,
  ): string | undefined => {
    const key = String(response.status)
    const documented = operation.responses[key] as DocumentedResponse | undefined
    if (!documented) return `${operation.operationId} does not document ${key}`
    const pointer = documented.$ref?.slice(1) ?? `/paths/${escapePointer(template)}/${method}/responses/${key}`
    const resolved = documented.$ref
      ? (document.components.responses[documented.$ref.split('/').at(-1) ?? ''] as DocumentedResponse)
      : documented
    const [type] = Object.keys(resolved.content ?? {})
    if (isHead || type === undefined) return response.body === '' ? undefined : 'has an undocumented body'
    if (typeOf(response) !== type) return `content type ${typeOf(response)} instead of ${type}`
    return validate(`${pointer}/content/${escapePointer(type)}/schema`, JSON.parse(response.body))
  }

  const checkResponse = (request: FuzzRequest, response: FuzzResponse): string | undefined => {
    if (response.status >= 500 && response.status !== 503) return 'server error'
    if (response.durationMs > maxDurationMs) return `took ${Math.round(response.durationMs)} ms`
    for (const name of requiredHeaders) if (!response.headers[name]) return `${name} is missing`
    if (/\bat \S+:\d+:\d+|node_modules|ZodError|QueryFailed|select .* from/i.test(response.body) && typeOf(response).includes('json'))
      return 'exposes internals'

    const path = request.path.split('?', 1)[0] ?? ''
    if (pages.test(path)) return undefined
    const matching = templates.filter(({ pattern }) => pattern.test(path))
    const isHead = request.method === 'HEAD'
    const method = (isHead ? 'GET' : request.method).toLowerCase()
    for (const { template, item } of matching) {
      const operation = item[method]
      if (operation) return checkDocumented(template, method, operation, response, isHead)
    }
    if (isHead) return response.body === '' ? undefined : 'has a body for HEAD'
    if (matching.length === 0) return checkProblem(response, [404])
    if (request.method === 'OPTIONS')
      return response.status === 204 && response.headers['allow']
        ? undefined
        : 'the response to OPTIONS must have the status 204 and the header Allow'
    return response.headers['allow'] ? checkProblem(response, [405]) : 'Allow is missing'
  }

  return (request: FuzzRequest, response: FuzzResponse): string | undefined => {
    try {
      return checkResponse(request, response)
    } catch (error) {
      return `cannot be parsed: ${(error as Error).message}`
    }
  }
}
