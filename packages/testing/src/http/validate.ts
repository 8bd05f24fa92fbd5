import type { FieldError } from '@flowpost/contract'
import { bodyChecks } from '../features/index.ts'
import type { World } from '../state/world.ts'
import { ApiError, validationFailed } from './api-error.ts'
import type { Principal } from './call.ts'
import { fieldErrors } from './field-errors.ts'
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

const checkPart = (part: 'query' | 'body', schema: unknown, input: unknown): Checked => {
  if (!isSchema(schema)) return { data: input, faults: [] }
  const result = schema.safeParse(input)
  return result.success ? { data: result.data, faults: [] } : { data: undefined, faults: fieldErrors(part, result.error, input) }
}

const headerFaults = (schemas: Readonly<Record<string, unknown>>, headers: Headers): FieldError[] =>
  Object.entries(schemas).flatMap(([name, schema]) => {
    const value = headers.get(name) ?? undefined
    const result = isSchema(schema) ? schema.safeParse(value) : undefined
    if (!result || result.success) return []
    const { issues } = result.error as { issues: readonly { readonly path: readonly PropertyKey[] }[] }
    return fieldErrors('header', { issues: issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })) }, { [name]: value })
  })

/**
 * Checks a request against the contract and against what the contract cannot know, in the order of the server.
 * @returns query and body as the operation gets them.
 * @throws ApiError `malformed_header` or `validation_failed`, with every fault.
 */
export const validate = (world: World, { operation, route }: NamedRoute, request: UncheckedRequest): { query: unknown; body: unknown } => {
  const own = bodyChecks[operation]?.(world, request) ?? []
  const query = checkPart('query', route.query, request.query)
  const body = checkPart('body', route.body, request.body)
  const faults = [...query.faults, ...body.faults]
  if (own.length > 0) {
    // One fault a field: where the schema has refused a field, its channel need not say more.
    const told = new Set(faults.map(({ pointer }) => pointer))
    throw validationFailed([...faults, ...own.filter(({ pointer }) => !told.has(pointer))])
  }
  const malformed = headerFaults(route.headers ?? {}, request.headers)
  if (malformed.length > 0)
    throw new ApiError('malformed_header', malformed.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}`).join(' '), {
      errors: malformed,
    })
  if (faults.length > 0) throw validationFailed(faults)
  return { query: query.data, body: body.data }
}
