import { createFlowpost, type Flowpost } from '@flowpost/client'
import type { Exchange } from './exchange.ts'
import type { ConformanceTarget } from './target.ts'

/** The clients of a scenario or a cleanup. */
export interface Clients {
  /** The client of the user whose key is `apiKey` of the target. */
  readonly client: Flowpost
  /** Creates the client of the user whose key is `otherApiKey` of the target. */
  otherClient(): Flowpost
}

// The deadline of the scenario limits the calls, so the clients need no time limit.
const unlimitedMs = 2 ** 31 - 1

/** Returns a value that a requirement of the scenario guarantees. */
export const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`The scenario uses ${name} but does not declare the requirement.`)
  return value
}

/** Creates clients without retries, so that scenarios see every response of the server. */
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
