import type { OpenApiDocument, OpenApiOperation } from '@flowpost/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FuzzRequest } from './requests.ts'

/** An answer, its body read. */
export interface FuzzAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly tookMs: number
}

interface Described {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, unknown>>
}

// What is beside the contract has tests of its own.
const pages = /^\/(livez|readyz|metrics|openapi\.json|docs(\/.*)?|outbox(\/.*)?)?$/i
const slowestMs = 10_000
const always = ['x-request-id', 'x-content-type-options', 'content-security-policy']

const escapePointer = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Says what is wrong with an answer: with what every answer must be, and with what the document says of it. */
export const createAnswerCheck = (document: OpenApiDocument) => {
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
    // As the server matches: without regard to case, and to a slash at the end.
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  }))

  const typeOf = ({ headers }: FuzzAnswer): string => String(headers['content-type'] ?? '').split(';')[0] ?? ''

  const problemFault = (answer: FuzzAnswer, statuses: readonly number[]): string | undefined => {
    if (!statuses.includes(answer.status)) return `expected ${statuses.join(' or ')}`
    if (typeOf(answer) !== 'application/problem+json') return `content type ${typeOf(answer)}`
    return validate('/components/schemas/Problem', JSON.parse(answer.body))
  }

  const documentedFault = (
    template: string,
    method: string,
    operation: OpenApiOperation,
    answer: FuzzAnswer,
    isHead: boolean,
  ): string | undefined => {
    const key = String(answer.status)
    const described = operation.responses[key] as Described | undefined
    if (!described) return `${operation.operationId} does not document ${key}`
    const at = described.$ref?.slice(1) ?? `/paths/${escapePointer(template)}/${method}/responses/${key}`
    const whole = described.$ref ? (document.components.responses[described.$ref.split('/').at(-1) ?? ''] as Described) : described
    const [type] = Object.keys(whole.content ?? {})
    if (isHead || type === undefined) return answer.body === '' ? undefined : 'a body that is not documented'
    if (typeOf(answer) !== type) return `content type ${typeOf(answer)} instead of ${type}`
    return validate(`${at}/content/${escapePointer(type)}/schema`, JSON.parse(answer.body))
  }

  const faultOf = (request: FuzzRequest, answer: FuzzAnswer): string | undefined => {
    if (answer.status >= 500 && answer.status !== 503) return 'a fault of the server'
    if (answer.tookMs > slowestMs) return `took ${Math.round(answer.tookMs)} ms`
    for (const name of always) if (!answer.headers[name]) return `no ${name}`
    if (/\bat \S+:\d+:\d+|node_modules|ZodError|QueryFailed|select .* from/i.test(answer.body) && typeOf(answer).includes('json'))
      return 'something of the inside'

    const path = request.path.split('?', 1)[0] ?? ''
    if (pages.test(path)) return undefined
    const matching = templates.filter(({ pattern }) => pattern.test(path))
    const isHead = request.method === 'HEAD'
    const method = (isHead ? 'GET' : request.method).toLowerCase()
    for (const { template, item } of matching) {
      const operation = item[method]
      if (operation) return documentedFault(template, method, operation, answer, isHead)
    }
    if (isHead) return answer.body === '' ? undefined : 'a body for HEAD'
    if (matching.length === 0) return problemFault(answer, [404])
    if (request.method === 'OPTIONS') return answer.status === 204 && answer.headers['allow'] ? undefined : 'OPTIONS without 204 and Allow'
    return answer.headers['allow'] ? problemFault(answer, [405]) : 'no Allow'
  }

  return (request: FuzzRequest, answer: FuzzAnswer): string | undefined => {
    try {
      return faultOf(request, answer)
    } catch (error) {
      return `unreadable: ${(error as Error).message}`
    }
  }
}
