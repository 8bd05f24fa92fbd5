import { problems } from '@flowpost/contract'
import { operations } from '../http/operations.ts'
import type { Operation, ProblemCode } from '../public-types.ts'
import type { FaultTarget, RequestFault, StatusFault } from './request-faults.ts'

const problemsOf = new Map(operations.map(({ operation, route }) => [operation, route.metadata.problems]))
const allProblems = [...new Set([...problemsOf.values()].flat())]

/** Returns whether an operation can return the given problem code. */
export const declaresProblem = (operation: Operation, code: ProblemCode): boolean =>
  problemsOf.get(operation)?.some((declared) => declared === code) ?? false

const faultNames: readonly RequestFault[] = ['networkError', 'commitThenDrop', 'stalledBody', 'malformedJson']

const isAtLeast0 = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value)

const checkStatusFault = (target: FaultTarget, { status, code, retryAfter }: StatusFault): void => {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new TypeError(`The status of a fault must be an integer from 400 to 599, not ${status}.`)
  if (retryAfter !== undefined && !isAtLeast0(retryAfter)) throw new TypeError('retryAfter must be a number of seconds, at least 0.')
  if (code === undefined) return
  const declared = (target === '*' ? allProblems : problemsOf.get(target)) ?? []
  const found = declared.find((candidate) => candidate === code)
  if (!found) {
    const reason = target === '*' ? `No operation declares the code ${code}.` : `${target} does not declare the code ${code}.`
    throw new TypeError(`${reason} Use one of: ${declared.join(', ')}.`)
  }
  const expected = problems[found].status
  if (expected !== status) throw new TypeError(`The code ${code} has the status ${expected}, not ${status}.`)
}

/**
 * Throws an error if a test injects an invalid fault. An error response to a later request would not be enough: the client
 * would retry the request, and the test could still pass.
 *
 * @throws {TypeError} When the operation does not exist, or the fault is invalid for it.
 */
export const checkRequestFault = (target: FaultTarget, fault: RequestFault): void => {
  if (target !== '*' && !problemsOf.has(target))
    throw new TypeError(`There is no operation ${target}. Use * or one of: ${[...problemsOf.keys()].join(', ')}.`)
  if (typeof fault === 'object' && fault !== null && 'status' in fault) checkStatusFault(target, fault)
  else if (typeof fault === 'object' && fault !== null && 'latencyMs' in fault) {
    if (!isAtLeast0(fault.latencyMs)) throw new TypeError('latencyMs must be a number of milliseconds, at least 0.')
  } else if (!faultNames.includes(fault))
    throw new TypeError(`There is no such fault. Use an object with status or latencyMs, or one of: ${faultNames.join(', ')}.`)
}
