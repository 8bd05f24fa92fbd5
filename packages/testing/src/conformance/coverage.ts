import { operations } from '../http/operations.ts'
import type { Operation } from '../named-types.ts'
import type { Scenario } from './scenario.ts'

/** An operation with a status that it declares. */
export interface DeclaredAnswer {
  readonly operation: Operation
  readonly status: number
}

/** Statuses that no scenario can provoke from outside, and why. */
export interface Excuse {
  readonly status: number
  /** Left out: every operation that declares the status. */
  readonly operations?: readonly Operation[]
  readonly reason: string
}

/** Every status that cannot be provoked from outside. */
export const excuses: readonly Excuse[] = [
  { status: 429, reason: 'How many requests are too many is the deployment’s choice, and reaching it would stop the other scenarios.' },
  { status: 500, reason: 'Only a fault of the server leads to it.' },
  { status: 503, reason: 'Only a database that is away, or a full queue, leads to it.' },
  {
    status: 400,
    operations: ['flows.check', 'apiKeys.delete', 'notifications.get'],
    reason: 'It takes neither a body, a cursor nor a header that could be malformed; a proxy or an HTTP parser may still answer so.',
  },
  {
    status: 409,
    operations: ['flows.create', 'notifications.cancel'],
    reason: 'Only a request with the same idempotency key that is in progress at the same moment leads to it.',
  },
  {
    status: 409,
    operations: ['integrations.put'],
    reason: 'Only a deployment without a key to seal secrets with leads to it.',
  },
]

/** Every operation with every status that the contract declares for it. */
export const declaredAnswers = (): DeclaredAnswer[] =>
  operations.flatMap(({ operation, route }) => Object.keys(route.responses).map((status) => ({ operation, status: Number(status) })))

/** One line of the table: what is known of an operation and a status. */
export interface CoverageEntry extends DeclaredAnswer {
  /** The names of the scenarios that are about it. */
  readonly scenarios: readonly string[]
  /** Why there is none. */
  readonly excuse: string | undefined
}

const isExcused = (excuse: Excuse, { operation, status }: DeclaredAnswer): boolean =>
  excuse.status === status && (excuse.operations === undefined || excuse.operations.includes(operation))

/** Which declared answers have a scenario. */
export const coverageOf = (scenarios: readonly Scenario[]): CoverageEntry[] =>
  declaredAnswers().map((answer) => ({
    ...answer,
    scenarios: scenarios.filter((each) => each.operation === answer.operation && each.status === answer.status).map(({ name }) => name),
    excuse: excuses.find((excuse) => isExcused(excuse, answer))?.reason,
  }))

/** What is wrong with the table: answers with neither scenario nor excuse, or with both, and scenarios of undeclared answers. */
export const coverageFaults = (scenarios: readonly Scenario[]): string[] => {
  const entries = coverageOf(scenarios)
  const isDeclared = ({ operation, status }: Scenario) =>
    operation === null || entries.some((entry) => entry.operation === operation && entry.status === status)
  return [
    ...entries.flatMap(({ operation, status, scenarios: found, excuse }) => {
      if (found.length === 0 && excuse === undefined) return [`${operation} ${status} has no scenario.`]
      return found.length > 0 && excuse !== undefined ? [`${operation} ${status} is excused, but has a scenario.`] : []
    }),
    ...scenarios.filter((each) => !isDeclared(each)).map(({ name }) => `${name}: the contract does not declare this status.`),
  ]
}
