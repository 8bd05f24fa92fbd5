import type { ApiKeyCreate, Flow, OperationName, Problem } from '@flowpost/client'

// These types are based on the client's types, so that the declarations of this package do not depend on the contract.

/** The dotted name of an operation, such as `notifications.send`. */
export type Operation = OperationName | 'projects.deleteByQuery'

/** A permission of a credential. */
export type Scope = NonNullable<ApiKeyCreate['scopes']>[number]

/** The name of a delivery provider. */
export type SourceType = Flow['source_type']

/** A stable problem code. */
export type ProblemCode = Problem['code']
