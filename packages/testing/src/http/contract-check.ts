import { Problem } from '@flowpost/contract'
import { isSchema, type NamedRoute } from './operations.ts'

/** An error for a mock response that violates the contract. The cause is a bug in the mock, not a bug in the tested code. */
export class MockContractError extends Error {
  override readonly name = 'MockContractError'
}

const isOther = (response: unknown): response is { readonly body: unknown } =>
  response !== null && typeof response === 'object' && 'contentType' in response

/** Returns the path of the first difference between two JSON values, or `undefined` if they are equal. */
const findDifference = (a: unknown, b: unknown, path = ''): string | undefined => {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return Object.is(a, b) ? undefined : path || '/'
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const key of keys) {
    const differingPath = findDifference((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${path}/${key}`)
    if (differingPath !== undefined) return differingPath
  }
  return undefined
}

/** Describes how a response violates the contract. Returns `undefined` if the response is valid. */
const findViolation = ({ route }: NamedRoute, status: number, body: unknown): string | undefined => {
  const response = route.responses[status]
  if (response === undefined) return 'The operation does not declare this status.'
  const schema = isOther(response) ? response.body : response
  if (!isSchema(schema)) return body === undefined ? undefined : 'A response with this status must not have a body.'
  const result = schema.safeParse(body)
  if (!result.success) return (result.error as Error).message
  const extra = findDifference(body, result.data)
  if (extra !== undefined) return `The body has a value at ${extra} that its schema does not declare.`
  const problem = status >= 400 ? Problem.safeParse(body) : undefined
  const isDeclared = !problem || (problem.data && route.metadata.problems.includes(problem.data.code))
  return isDeclared ? undefined : `The operation does not declare the code ${problem?.data?.code}.`
}

/**
 * Validates a response against the contract. The operation must declare the status and the problem code, and the body
 * must match the schema exactly.
 *
 * @throws {MockContractError} When the response violates the contract.
 */
export const checkResponse = (named: NamedRoute, status: number, body: unknown): void => {
  const violation = findViolation(named, status, body)
  if (violation === undefined) return
  throw new MockContractError(
    `The mock created a response to ${named.operation} that violates the contract: status ${status}. ${violation}`,
  )
}
