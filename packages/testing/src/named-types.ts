import type { ApiKeyCreate, Flow, OperationName, Problem } from '@flowpost/client'

// Said in the types of the client, because they are plain: whoever compiles a test need not compile the contract.

/** The dotted name of every operation of the interface, such as `notifications.send`. */
export type Operation = OperationName | 'projects.deleteByQuery'

/** What a credential may do. */
export type Scope = NonNullable<ApiKeyCreate['scopes']>[number]

/** The name of a delivery provider. */
export type SourceType = Flow['source_type']

/** A stable problem code. */
export type ProblemCode = Problem['code']
