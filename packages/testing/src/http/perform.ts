import { ApiError, buildOperationPath, settingsDigestHeader } from '@flowpost/contract/rules'
import { findSettingsChange } from '../features/settings.ts'
import type { Operation } from '../public-types.ts'
import type { MockContext } from '../state/mock-context.ts'
import { authenticate } from './authenticate.ts'
import type { Call, HandlerTable } from './handler.ts'
import { runIdempotent, type WrittenResponse } from './idempotency.ts'
import type { NamedRoute } from './operations.ts'
import { readJsonBody, validateRequest } from './request-validation.ts'
import { writeProblem, writeResponse } from './responses.ts'

/** The operations whose responses always contain a secret. Such responses are never replayed. */
const operationsWithSecrets: ReadonlySet<Operation> = new Set<Operation>([
  'apiKeys.create',
  'eventEndpoints.create',
  'eventEndpoints.rotateSecret',
  'integrations.rotateInbound',
])

/** A request with its operation and its raw body. */
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
 * Processes a request in the same order as the server: authentication, scope, body, validation, idempotency, handler.
 *
 * @param delay Waits for an injected latency. Called before the handler, or before an error is returned.
 */
export const perform = async (
  context: MockContext,
  handlers: HandlerTable,
  request: MatchedRequest,
  delay: (() => Promise<void>) | undefined,
): Promise<WrittenResponse> => {
  const { named, headers, params, signal } = request
  const { route, operation } = named
  const handler = handlers.get(operation)
  if (!handler) throw new Error(`No handler for ${operation}.`)
  let pendingDelay = delay
  let extraHeaders: Readonly<Record<string, string>> = {}
  const complete = (response: WrittenResponse): WrittenResponse => ({ ...response, headers: { ...response.headers, ...extraHeaders } })

  const run = (call: Call): WrittenResponse | Promise<WrittenResponse> => {
    const result = handler(call)
    return result instanceof Promise ? result.then((awaited) => writeResponse(named, awaited)) : writeResponse(named, result)
  }

  try {
    const principal = authenticate(context, headers, route.metadata)
    const input = readJsonBody(route, headers, request.bytes, context.settings.bodyLimitBytes)
    if (Object.hasOwn((route.headers ?? {}) as object, settingsDigestHeader))
      extraHeaders = findSettingsChange(context, { principal, headers, body: input })
    const { query, body } = validateRequest(context, named, { principal, params, query: request.query, headers, body: input })
    const call = { principal, params, query, body, headers, signal, requestId: request.requestId } as Call
    const work = () => {
      if (!pendingDelay) return run(call)
      const delayed = pendingDelay()
      pendingDelay = undefined
      return delayed.then(() => run(call))
    }
    // Ignores a batch's idempotency key here, because the batch's handler processes the key and stores a response for each item.
    const key = route.metadata.idempotent && route.metadata.itemsField === undefined ? headers.get('idempotency-key') : null
    if (key === null) return complete(await work())
    const idempotentRequest = {
      principal,
      method: route.method,
      path: buildOperationPath(route.path, params),
      key,
      // When requests with the same key are compared, a missing body counts as `null`.
      body: body ?? null,
      isReplayable: !operationsWithSecrets.has(operation),
    }
    return complete(await runIdempotent(context, idempotentRequest, work))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await pendingDelay?.()
    return complete(writeProblem(error, request.requestId, named))
  }
}
