import type { Principal } from '../../auth/principal.ts'
import type { ResolvedBody } from './resolve-project-and-flow.ts'
import { loadContext, type SendContext, type SendContextDeps } from './send-context.ts'

// How long the items in a batch share the loaded settings, in milliseconds. A batch that takes longer loads the settings again.
// The value equals the maximum age of a value in the settings cache (`maxAgeMs` in `shared/cache.ts`).
const maxAgeMs = 1_000

/** Returns a version of `load` that loads each key only once. */
const once = <Value>(load: (key: string) => Promise<Value>): ((key: string) => Promise<Value>) => {
  const values = new Map<string, Promise<Value>>()
  return (key) => {
    const value = values.get(key) ?? load(key)
    values.set(key, value)
    return value
  }
}

/**
 * Creates a function that loads the settings for the items in a batch. Items with the same project and flow share the
 * loaded settings for up to a second, even while the server cannot cache settings.
 */
export const createBatchContexts = (deps: SendContextDeps, principal: Principal): ((body: ResolvedBody) => Promise<SendContext>) => {
  let contexts = new Map<string, Promise<SendContext>>()
  let startedAt = performance.now()

  const load = async (body: ResolvedBody): Promise<SendContext> => {
    const context = await loadContext(deps, principal, body)
    const templates = once((ids) => context.loadTemplates(ids.split(' ') as never))
    return { ...context, hasCredential: once(context.hasCredential), loadTemplates: (ids) => templates(ids.join(' ')) }
  }

  return (body) => {
    if (performance.now() - startedAt > maxAgeMs) {
      contexts = new Map()
      startedAt = performance.now()
    }
    const key = JSON.stringify([body.project_id, body.flow_id])
    const context = contexts.get(key) ?? load(body)
    contexts.set(key, context)
    return context
  }
}
