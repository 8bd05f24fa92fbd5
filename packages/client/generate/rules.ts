/**
 * SDK rules that the contract cannot express. A rule that names an operation uses `<router>.<key>`. The generator fails
 * if the contract does not have that operation.
 */

/** Operations for which the SDK has no method, each with the reason. */
export const excluded: Readonly<Record<string, string>> = {
  'projects.deleteByQuery': 'It does the same as `projects.delete`, but takes the identifier from the query string.',
}

/** POST operations that do not accept `Idempotency-Key` but are safe to retry, each with the reason. */
export const repeatable: Readonly<Record<string, string>> = {
  'flows.check': 'It checks the flow, stores the result and sends nothing.',
  'notifications.preview': 'It renders the message, but does not send or store anything.',
}

/**
 * Operations whose method returns a subtype of `Call`. `type` names the subtype, which `src/results.ts` declares. `follow`
 * is the operation to poll for the result. The subtype's type arguments are the response bodies of the two operations.
 */
export const results: Readonly<Record<string, { type: string; follow: string }>> = {
  'notifications.send': { type: 'SendCall', follow: 'notifications.get' },
}

/**
 * Operations whose response depends on a field of the request body. For each operation, maps types to response statuses.
 * Each type is declared in `src/options.ts`. It restricts the field to the values that result in that status.
 */
export const variants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'bulkActions.create': { DryRun: 200, NoDryRun: 202 },
}

/** The supported request headers, each with the type in `src/options.ts` that declares its option. */
export const headerOptions: Readonly<Record<string, string>> = {
  'idempotency-key': 'IdempotentOptions',
  'if-match': 'ConditionalOptions',
  'if-none-match': 'CachedOptions',
}

/** The supported request headers that the client sets without a call option. */
export const clientHeaders: readonly string[] = ['flowpost-settings-digest']

/** Reserved names, which have a meaning in the client or in JavaScript. No operation or router may use them. */
export const reserved: readonly string[] = ['then', 'catch', 'finally', 'constructor', '__proto__', 'toJSON']
