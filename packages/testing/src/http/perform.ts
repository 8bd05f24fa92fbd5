import { ApiError, buildOperationPath } from '@flowpost/contract/rules'
import type { World } from '../state/world.ts'
import { authenticate } from './authenticate.ts'
import type { Call, HandlerTable } from './call.ts'
import { runOnce, type WrittenAnswer } from './idempotency.ts'
import { readJson } from './json-body.ts'
import type { NamedRoute } from './operations.ts'
import { validate } from './validate.ts'
import { writeAnswer, writeProblem } from './write-answer.ts'

/** A request whose operation is known and whose body was read. */
export interface MatchedRequest {
  readonly named: NamedRoute
  readonly requestId: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
}

/**
 * Does what a request asks for, in the order of the server: credential, scope, body, validation, idempotency, and then
 * the operation itself.
 * @param pause Is waited for before the operation begins, and before a refusal is answered.
 */
export const perform = async (
  world: World,
  handlers: HandlerTable,
  request: MatchedRequest,
  pause: (() => Promise<void>) | undefined,
): Promise<WrittenAnswer> => {
  const { named, headers, params, signal } = request
  const { route, operation } = named
  const handler = handlers.get(operation)
  if (!handler) throw new Error(`Nothing serves ${operation}.`)
  let waiting = pause

  const run = (call: Call): WrittenAnswer | Promise<WrittenAnswer> => {
    const answer = handler(call)
    return answer instanceof Promise ? answer.then((made) => writeAnswer(named, made)) : writeAnswer(named, answer)
  }

  try {
    const principal = authenticate(world, headers, route.metadata)
    const input = readJson(route, headers, request.bytes, world.settings.bodyLimitBytes)
    const { query, body } = validate(world, named, { principal, params, query: request.query, headers, body: input })
    const call = { principal, params, query, body, headers, signal } as Call
    const work = () => {
      if (!waiting) return run(call)
      const begun = waiting()
      waiting = undefined
      return begun.then(() => run(call))
    }
    const key = route.metadata.idempotent ? headers.get('idempotency-key') : null
    if (key === null) return await work()
    const keyed = {
      principal,
      method: route.method,
      path: buildOperationPath(route.path, params),
      key,
      // An operation without a body has none to compare.
      body: body ?? null,
      isReplayable: operation !== 'apiKeys.create',
    }
    return await runOnce(world, keyed, work)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await waiting?.()
    return writeProblem(error, request.requestId, named)
  }
}
