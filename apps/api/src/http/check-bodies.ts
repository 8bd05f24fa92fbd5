import type { FieldError } from '@flowpost/contract'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { validationFailed } from '../shared/api-error.ts'
import type { Principal } from '../shared/principal.ts'
import { contextOf } from '../shared/request-context.ts'
import { fieldErrors } from './field-errors.ts'

/** Faults of a body that its schema cannot know. */
export type BodyCheck = (request: Request, principal: Principal) => Promise<readonly FieldError[]>

const schemaFaults = (part: 'query' | 'body', schema: unknown, input: unknown): FieldError[] => {
  if (!(schema instanceof z.ZodType)) return []
  const result = schema.safeParse(input)
  return result.success ? [] : fieldErrors(part, result.error, input)
}

/**
 * Runs the checks that a feature has for the bodies of its routes before the schemas are applied, so
 * that one answer tells the faults of both.
 */
export const checkBodies =
  (checks: ReadonlyMap<unknown, BodyCheck>): RequestHandler =>
  async (request, response, next) => {
    const route = (request as Request & { tsRestRoute: AppRoute }).tsRestRoute
    const { principal } = contextOf(response)
    const check = checks.get(route)
    const own = check && principal ? await check(request, principal) : []
    if (own.length > 0) {
      const faults = [
        ...schemaFaults('query', route.query, request.query),
        ...schemaFaults('body', 'body' in route ? route.body : undefined, request.body),
      ]
      // One fault a field: where the schema has refused a field, its channel need not say more.
      const told = new Set(faults.map(({ pointer }) => pointer))
      throw validationFailed([...faults, ...own.filter(({ pointer }) => !told.has(pointer))])
    }
    next()
  }
