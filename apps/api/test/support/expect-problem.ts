import { type ProblemCode, problems } from '@flowpost/contract'
import { expect } from 'vitest'
import type { TestResponse } from './test-server.ts'

/** Expects a complete problem with this code, and returns its `errors` as strings such as `body /name too_long`. */
export const expectProblem = (response: TestResponse, code: ProblemCode): string[] => {
  const { status, title } = problems[code]
  expect(response.json, `${response.status} ${response.text.slice(0, 500)}`).toMatchObject({
    type: `urn:flowpost:problem:${code}`,
    title,
    status,
    code,
    detail: expect.stringMatching(/^.{5,500}$/s),
    request_id: response.headers.get('x-request-id'),
  })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
  if (status === 429 || status === 503) expect(response.headers.get('retry-after'), code).toMatch(/^[1-9]\d*$/)
  const { errors = [] } = response.json as { errors?: { in: string; pointer: string; code: string; message: string }[] }
  for (const { message } of errors) expect(message).toMatch(/\S/)
  return errors.map((error) => `${error.in} ${error.pointer} ${error.code}`)
}

/** Returns the body of a problem response without the request id. */
export const withoutRequestId = ({ json }: TestResponse): object => ({ ...json, request_id: undefined })
