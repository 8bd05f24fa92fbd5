import { operations } from '../http/operations.ts'
import type { Operation } from '../public-types.ts'
import type { Scenario } from './scenario.ts'

/** A response that the contract declares: an operation and one of its statuses. */
export interface DeclaredResponse {
  readonly operation: Operation
  readonly status: number
}

/** A declared status that no scenario can cause, and the reason. */
export interface Exemption {
  readonly status: number
  /** The operations to which the exemption applies. Defaults to all operations that declare the status. */
  readonly operations?: readonly Operation[]
  readonly reason: string
}

/** The declared statuses that scenarios cannot cause. */
export const exemptions: readonly Exemption[] = [
  { status: 429, reason: 'The rate limit depends on the deployment, and reaching it would block the other scenarios.' },
  { status: 500, reason: 'Only a server bug causes this status.' },
  { status: 503, reason: 'Only an outage, a full queue, a missing encryption key or a locked project causes this status.' },
  {
    status: 400,
    operations: [
      'flows.check',
      'suppressions.delete',
      'apiKeys.delete',
      'notifications.get',
      'notifications.explanation',
      'bulkActions.get',
      'erasures.get',
    ],
    reason: 'The operation has no body, cursor or header that can be malformed. Only a proxy or an HTTP parser can return this status.',
  },
  {
    status: 409,
    operations: ['suppressions.create', 'notifications.cancel', 'bulkActions.create', 'bulkActions.stop', 'erasures.create'],
    reason: 'Only a concurrent request with the same idempotency key causes this status.',
  },
  {
    status: 409,
    operations: ['integrations.put'],
    reason: 'Only a deployment without an encryption key for secrets causes this status.',
  },
]

/** Returns each combination of operation and status that the contract declares. */
export const declaredResponses = (): DeclaredResponse[] =>
  operations.flatMap(({ operation, route }) => Object.keys(route.responses).map((status) => ({ operation, status: Number(status) })))

/** A declared response, with the scenarios that cover it or the reason why none does. */
export interface CoverageEntry extends DeclaredResponse {
  /** The names of the scenarios that cover the response. */
  readonly scenarios: readonly string[]
  /** The reason why no scenario can cause the response; `undefined` if the response is not exempt. */
  readonly exemption: string | undefined
}

const isExempt = (exemption: Exemption, { operation, status }: DeclaredResponse): boolean =>
  exemption.status === status && (exemption.operations === undefined || exemption.operations.includes(operation))

/** Returns each declared response with its scenarios and exemption. */
export const coverageOf = (scenarios: readonly Scenario[]): CoverageEntry[] =>
  declaredResponses().map((response) => ({
    ...response,
    scenarios: scenarios
      .filter((scenario) => scenario.operation === response.operation && scenario.status === response.status)
      .map(({ name }) => name),
    exemption: exemptions.find((exemption) => isExempt(exemption, response))?.reason,
  }))

/**
 * Returns a message for each of these issues:
 *
 * - A declared response has neither a scenario nor an exemption, or it has both.
 * - A scenario expects a status that the contract does not declare for its operation.
 */
export const coverageIssues = (scenarios: readonly Scenario[]): string[] => {
  const entries = coverageOf(scenarios)
  const isDeclared = ({ operation, status }: Scenario) =>
    operation === null || entries.some((entry) => entry.operation === operation && entry.status === status)
  return [
    ...entries.flatMap(({ operation, status, scenarios: found, exemption }) => {
      if (found.length === 0 && exemption === undefined) return [`${operation} ${status} has no scenario.`]
      return found.length > 0 && exemption !== undefined ? [`${operation} ${status} has a scenario. Remove its exemption.`] : []
    }),
    ...scenarios.filter((scenario) => !isDeclared(scenario)).map(({ name }) => `${name}: the contract does not declare this status.`),
  ]
}
