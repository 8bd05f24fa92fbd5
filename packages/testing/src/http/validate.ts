import type { FieldError } from '@flowpost/contract'
import {
  findTextErrors,
  firstErrorPerField,
  malformedHeader,
  toFieldErrors,
  toNestedFieldErrors,
  validationFailed,
} from '@flowpost/contract/rules'
import { z } from 'zod'
import { bodyChecks } from '../features/index.ts'
import type { World } from '../state/world.ts'
import type { Principal } from './call.ts'
import { isSchema, type NamedRoute } from './operations.ts'

/** A request whose operation and caller are known. */
export interface UncheckedRequest {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly headers: Headers
  readonly body: unknown
}

interface Checked {
  readonly data: unknown
  readonly faults: readonly FieldError[]
}

const noParameters = z.strictObject({})

const checkPart = (part: 'query' | 'body', schema: unknown, input: unknown): Checked => {
  if (!isSchema(schema)) return { data: input, faults: [] }
  const result = schema.safeParse(input)
  return result.success ? { data: result.data, faults: [] } : { data: undefined, faults: toFieldErrors(part, result.error, input) }
}

const headerFaults = (schemas: Readonly<Record<string, unknown>>, headers: Headers): FieldError[] =>
  Object.entries(schemas).flatMap(([name, schema]) => {
    const value = headers.get(name) ?? undefined
    const result = isSchema(schema) ? schema.safeParse(value) : undefined
    return !result || result.success ? [] : toNestedFieldErrors('header', name, result.error, value)
  })

/**
 * Checks a request against the contract and against what the contract cannot know, in the order of the server.
 * @returns query and body as the operation gets them.
 * @throws ApiError `malformed_header` or `validation_failed`, with every fault.
 */
export const validate = (world: World, { operation, route }: NamedRoute, request: UncheckedRequest): { query: unknown; body: unknown } => {
  const texts = findTextErrors(request.body)
  const own = bodyChecks[operation]?.(world, request) ?? []
  const query = checkPart('query', route.query ?? noParameters, request.query)
  const body = checkPart('body', route.body, request.body)
  // A malformed header is told first, and alone.
  const malformed = headerFaults(route.headers ?? {}, request.headers)
  if (malformed.length > 0) throw malformedHeader(malformed)
  const isBeyondSchemas = texts.length > 0 || own.length > 0 || (!route.query && query.faults.length > 0)
  if (isBeyondSchemas) throw validationFailed(firstErrorPerField([...query.faults, ...texts, ...body.faults, ...own]))
  if (query.faults.length > 0 || body.faults.length > 0) throw validationFailed([...query.faults, ...body.faults])
  return { query: query.data, body: body.data }
}
