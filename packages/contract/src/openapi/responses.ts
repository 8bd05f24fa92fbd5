import { type AppRoute, ContractNoBody } from '@ts-rest/core'
import { z } from 'zod'
import type { OperationMetadata } from '../access.ts'
import { describeProblem, Problem, type ProblemCode, problemMediaType, problems } from '../problem.ts'
import { type HeaderName, problemHeaders, routeProblemHeaderNames, successHeaders } from './headers.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted: the request is stored and processed in the background.',
  204: 'Done. The response has no body.',
  304: 'Not modified: the copy that the client already has is current.',
}

const exampleRequestId = '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a'

/** An example for each problem, by code. */
const problemExamples = Object.fromEntries(
  Object.entries(problems).map(([code, { status, title }]) => {
    const value: z.output<typeof Problem> = {
      type: `urn:flowpost:problem:${code}`,
      title,
      status,
      detail: describeProblem(code as ProblemCode),
      code: code as ProblemCode,
      request_id: exampleRequestId,
      ...(code === 'validation_failed'
        ? { errors: [{ in: 'body' as const, pointer: '/target', code: 'required' as const, message: 'Is required.' }] }
        : {}),
    }
    return [code, { summary: title, value }]
  }),
)

/** Returns the component name of an error response that has only this problem code, such as `NotFound` for `not_found`. */
const toComponentName = (code: ProblemCode): string => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Creates a builder of OpenAPI responses. The builder also collects the components that operations share. */
export const createResponses = (schemas: Schemas) => {
  const components: Record<string, object> = {}
  const usedExamples: Record<string, object> = {}

  const describeProblems = (status: number, codes: readonly ProblemCode[], routeHeaders: readonly HeaderName[] = []): object => {
    for (const code of codes) usedExamples[code] = problemExamples[code] as object
    return {
      description: codes.map((code) => `\`${code}\`: ${describeProblem(code)}`).join('\n\n'),
      headers: problemHeaders(status, codes, routeHeaders),
      content: {
        [problemMediaType]: {
          schema: {
            allOf: [
              schemas.of(Problem, 'output'),
              { type: 'object', properties: { status: { const: status }, code: { type: 'string', enum: [...codes] } } },
            ],
          } satisfies JsonSchema,
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    }
  }

  /**
   * Describes the error response for a status. If the status has a single problem code and no headers that only this route
   * has, returns a reference to a component that operations share.
   */
  const toProblemResponse = (status: number, codes: readonly ProblemCode[], routeHeaders: readonly HeaderName[]): object => {
    const [code, ...others] = codes
    if (code === undefined || others.length > 0 || routeHeaders.length > 0) return describeProblems(status, codes, routeHeaders)
    const name = toComponentName(code)
    components[name] ??= describeProblems(status, codes)
    return { $ref: `#/components/responses/${name}` }
  }

  const toSuccessResponse = (
    route: AppRoute,
    metadata: OperationMetadata,
    status: number,
    response: unknown,
    routes: readonly AppRoute[],
  ) => ({
    description: statusTexts[status] ?? 'OK.',
    headers: successHeaders(route, metadata, status, routes),
    ...(response instanceof z.ZodType ? { content: { 'application/json': { schema: schemas.of(response, 'output') } } } : {}),
  })

  return {
    components,
    examples: usedExamples,
    /** Returns every OpenAPI response of a route, by status. */
    of: (route: AppRoute, metadata: OperationMetadata, routes: readonly AppRoute[]): Record<string, object> => {
      const declared = [...new Set(metadata.problems)]
      const responses = Object.entries(route.responses).map(([key, response]): [string, object] => {
        const status = Number(key)
        if (status < 400) {
          if (response !== ContractNoBody && !(response instanceof z.ZodType))
            throw new Error(`${route.path} ${key}: the response must be a schema or empty.`)
          return [key, toSuccessResponse(route, metadata, status, response, routes)]
        }
        const codes = declared.filter((code) => problems[code].status === status)
        if (codes.length === 0) throw new Error(`${route.path} ${key}: the operation declares no problem code with this status.`)
        return [key, toProblemResponse(status, codes, routeProblemHeaderNames(route, metadata, status, routes))]
      })
      return Object.fromEntries(responses)
    },
  }
}
