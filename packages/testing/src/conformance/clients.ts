import { createFlowpost, type Flowpost } from '@flowpost/client'
import type { Exchange } from './exchange.ts'
import type { ConformanceTarget } from './target.ts'

/** The clients for a scenario or a cleanup. */
export interface Clients {
  /** A client that uses the target's `apiKey`. */
  readonly client: Flowpost
  /** Creates a client that uses the target's `otherApiKey`. */
  otherClient(): Flowpost
}

// The deadline of the scenario or cleanup limits all calls, so the clients use the longest possible timeout.
const unlimitedMs = 2 ** 31 - 1

/**
 * Returns `value`, a setting of the target.
 *
 * @throws {Error} If the setting is missing, because the scenario does not declare it as a requirement.
 */
export const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`The scenario uses ${name} but does not declare it as a requirement.`)
  return value
}

/** Creates clients without retries, so that scenarios see every server response. */
export const createClients = (target: ConformanceTarget, exchange: Exchange): Clients => {
  const clientOf = (apiKey: string): Flowpost =>
    createFlowpost({
      baseUrl: target.baseUrl,
      apiKey,
      maxRetries: 0,
      timeout: unlimitedMs,
      attemptTimeout: unlimitedMs,
      dangerouslyAllowBrowser: true,
      fetch: async (url, init) => (await exchange.send(url, init)).response,
    })
  return { client: clientOf(target.apiKey), otherClient: () => clientOf(required(target.otherApiKey, 'otherApiKey')) }
}
