import { type AppRoute, ContractNoBody } from '@ts-rest/core'
import { z } from 'zod'
import type { OperationMetadata } from '../access.ts'
import { describeProblem, Problem, type ProblemCode, problemMediaType, problems } from '../problem.ts'
import { problemHeaders, successHeaders } from './headers.ts'
import type { JsonSchema, Schemas } from './schemas.ts'

const statusTexts: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: it is stored and will be worked on.',
  204: 'Done; there is nothing to say.',
  304: 'The resource is still the one that the client has.',
}

const exampleRequestId = '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a'

/** An example of every problem, by code. */
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

/** The component name of a problem that is alone with its status. */
const componentName = (code: ProblemCode): string => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Describes answers, and gathers what several operations share. */
export const createResponses = (schemas: Schemas) => {
  const components: Record<string, object> = {}
  const usedExamples: Record<string, object> = {}

  const problem = (status: number, codes: readonly ProblemCode[]): object => {
    for (const code of codes) usedExamples[code] = problemExamples[code] as object
    return {
      description: codes.map((code) => `\`${code}\`: ${describeProblem(code)}`).join('\n\n'),
      headers: problemHeaders(status, codes),
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

  /** A problem that is alone with its status is the same for every operation, so it is described once. */
  const problemReference = (status: number, codes: readonly ProblemCode[]): object => {
    const [code, ...others] = codes
    if (code === undefined || others.length > 0) return problem(status, codes)
    const name = componentName(code)
    components[name] ??= problem(status, codes)
    return { $ref: `#/components/responses/${name}` }
  }

  const success = (route: AppRoute, metadata: OperationMetadata, status: number, response: unknown, routes: readonly AppRoute[]) => ({
    description: statusTexts[status] ?? 'Done.',
    headers: successHeaders(route, metadata, status, routes),
    ...(response instanceof z.ZodType ? { content: { 'application/json': { schema: schemas.of(response, 'output') } } } : {}),
  })

  return {
    components,
    examples: usedExamples,
    /** Every answer of a route, by status. */
    of: (route: AppRoute, metadata: OperationMetadata, routes: readonly AppRoute[]): Record<string, object> => {
      const byStatus = Map.groupBy(new Set(metadata.problems), (code): number => problems[code].status)
      const answers = Object.entries(route.responses).map(([key, response]): [string, object] => {
        const status = Number(key)
        if (status < 400) {
          if (response !== ContractNoBody && !(response instanceof z.ZodType))
            throw new Error(`${route.path} ${key}: neither a schema nor empty.`)
          return [key, success(route, metadata, status, response, routes)]
        }
        const codes = byStatus.get(status)
        if (!codes) throw new Error(`${route.path} ${key}: no problem code of this status is declared.`)
        return [key, problemReference(status, codes)]
      })
      return Object.fromEntries(answers)
    },
  }
}
