/**
 * SDK rules that the contract cannot express. Every rule refers to an operation (`<router>.<key>`). The generator fails
 * if the contract does not have that operation.
 */

/** Operations for which the SDK has no method, each with the reason. */
export const excluded: Readonly<Record<string, string>> = {
  'projects.deleteByQuery': 'The same deletion as `projects.delete`, with the identifier in the query.',
}

/** POST operations without `Idempotency-Key` that are safe to retry, each with the reason. */
export const repeatable: Readonly<Record<string, string>> = {
  'flows.check': 'It checks the flow, stores the result and sends nothing.',
  'notifications.preview': 'It only renders.',
}

/**
 * Operations whose method returns an extended `Call`. `type` is a generic type of `src/results.ts`. Its parameters are
 * the response bodies of this operation and of `follow`, the operation that it polls.
 */
export const results: Readonly<Record<string, { type: string; follow: string }>> = {
  'notifications.send': { type: 'SendCall', follow: 'notifications.get' },
}

/**
 * Operations whose response depends on a field in the body. Each type in `src/options.ts` that has the field is mapped
 * to the status of the response.
 */
export const variants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'bulkActions.create': { DryRun: 200, NoDryRun: 202 },
}

/** The supported request headers, each with the type in `src/options.ts` that has its option. */
export const headerOptions: Readonly<Record<string, string>> = {
  'idempotency-key': 'IdempotentOptions',
  'if-match': 'ConditionalOptions',
  'if-none-match': 'CachedOptions',
}

/** The supported request headers that the client sets without a call option. */
export const clientHeaders: readonly string[] = ['flowpost-settings-digest']

/** Names that the client or promises use. No operation or router may have them. */
export const reserved: readonly string[] = ['then', 'catch', 'finally', 'constructor', '__proto__', 'toJSON']
