/**
 * What the contract cannot say about the SDK. Every rule names an operation (`<router>.<key>`) and
 * fails the generator when the contract no longer has it, so that no rule outlives its reason.
 */

/** Operations that get no method, each with the reason. */
export const excluded: Readonly<Record<string, string>> = {
  'projects.deleteByQuery': 'The same deletion as `projects.delete`, under the path that the written interface documents.',
}

/** POST operations without `Idempotency-Key` that may be repeated all the same, each with the reason. */
export const repeatable: Readonly<Record<string, string>> = {
  'flows.check': 'It looks, notes what it found, and sends nothing.',
  'notifications.preview': 'It renders and stores nothing.',
}

/**
 * Operations whose method returns more than a `Call`. The name is a generic type of `src/results.ts`
 * that takes the body of the answer; `follow` names the operation that it polls, whose body it takes second.
 */
export const results: Readonly<Record<string, { type: string; follow: string }>> = {
  'notifications.send': { type: 'SendCall', follow: 'notifications.get' },
}

/** Request headers that the contract may declare, and the options of `src/options.ts` that carry them. */
export const headerOptions: Readonly<Record<string, string>> = {
  'idempotency-key': 'IdempotentOptions',
  'if-match': 'ConditionalOptions',
  'if-none-match': 'CachedOptions',
}

/** Names that no operation or router may have, because the client or a promise already uses them. */
export const reserved: readonly string[] = ['then', 'catch', 'finally', 'constructor', '__proto__', 'toJSON']
