import { problemMediaType, problems } from '@flowpost/contract'
import { ApiError, toProblem } from '@flowpost/contract/rules'
import type { StatusFault } from '../faults/request-faults.ts'
import { checkAnswer, MockContractError } from './contract-check.ts'
import type { WrittenAnswer } from './idempotency.ts'
import type { NamedRoute } from './operations.ts'

const json = 'application/json; charset=utf-8'

/**
 * Writes the answer of an operation.
 * @throws MockContractError when the contract does not allow it.
 */
export const writeAnswer = (
  named: NamedRoute,
  answer: { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> },
): WrittenAnswer => {
  checkAnswer(named, answer.status, answer.body)
  const hasBody = answer.body !== undefined
  return {
    status: answer.status,
    headers: { ...answer.headers, ...(hasBody ? { 'Content-Type': json } : {}) },
    text: hasBody ? JSON.stringify(answer.body) : undefined,
  }
}

/**
 * Writes a problem.
 * @param named The operation; left out where there is none.
 * @throws MockContractError when the operation does not declare it.
 */
export const writeProblem = (error: ApiError, requestId: string, named?: NamedRoute): WrittenAnswer => {
  const { status, headers } = error
  const body = toProblem(error, requestId)
  if (named) checkAnswer(named, status, body)
  return { status, headers: { ...headers, 'Content-Type': `${problemMediaType}; charset=utf-8` }, text: JSON.stringify(body) }
}

/**
 * Writes what a fault answers instead of the operation.
 * @throws MockContractError for a code that the operation does not declare.
 */
export const writeStatusFault = ({ status, code, retryAfter }: StatusFault, requestId: string, named: NamedRoute): WrittenAnswer => {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  const declared = named.route.metadata.problems.find((each) => (code === undefined ? problems[each].status === status : each === code))
  if (declared) return writeProblem(new ApiError(declared, 'A fault that the mock was told to make.', { headers }), requestId, named)
  if (code !== undefined) throw new MockContractError(`A fault was to answer ${named.operation} with ${code}, which it does not declare.`)
  return {
    status,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
    text: `<html><body><h1>${status}</h1></body></html>`,
  }
}
