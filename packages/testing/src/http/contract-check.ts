import { Problem } from '@flowpost/contract'
import { isSchema, type NamedRoute } from './operations.ts'

/** The mock made an answer that the contract does not allow: a fault of the mock, never of what is tested. */
export class MockContractError extends Error {
  override readonly name = 'MockContractError'
}

const isOther = (response: unknown): response is { readonly body: unknown } =>
  response !== null && typeof response === 'object' && 'contentType' in response

/** Names the first place where two JSON values differ; `undefined` when they are equal. */
const difference = (a: unknown, b: unknown, path = ''): string | undefined => {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return Object.is(a, b) ? undefined : path || '/'
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const key of keys) {
    const found = difference((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** Why the contract does not allow an answer; `undefined` when it does. */
const faultOf = ({ route }: NamedRoute, status: number, body: unknown): string | undefined => {
  const response = route.responses[status]
  if (response === undefined) return 'which it does not declare.'
  const schema = isOther(response) ? response.body : response
  if (!isSchema(schema)) return body === undefined ? undefined : 'which has no body.'
  const result = schema.safeParse(body)
  if (!result.success) return (result.error as Error).message
  const extra = difference(body, result.data)
  if (extra !== undefined) return `whose schema does not have ${extra}.`
  const problem = status >= 400 ? Problem.safeParse(body) : undefined
  const isDeclared = !problem || (problem.data && route.metadata.problems.includes(problem.data.code))
  return isDeclared ? undefined : `whose code ${problem?.data?.code} it does not declare.`
}

/**
 * Holds an answer against the contract: its status must be declared, its body must be what the schema says and no
 * more, and a problem must have one of the codes that the operation declares.
 * @throws MockContractError
 */
export const checkAnswer = (named: NamedRoute, status: number, body: unknown): void => {
  const fault = faultOf(named, status, body)
  if (fault === undefined) return
  throw new MockContractError(`The mock made an answer to ${named.operation} that breaks the contract: ${status}, ${fault}`)
}
