import { createFlowpost, type Flowpost, type FlowpostOptions } from '@flowpost/client'
import { isStalled } from './http/responses.ts'
import type { InternalClock } from './state/mock-clock.ts'

/** Options for a client of the mock. */
export interface MockClientOptions extends Omit<FlowpostOptions, 'baseUrl' | 'fetch'> {
  /**
   * The client's user. Each user sees only their own resources. Has no effect if `apiKey` is given.
   * @default "local"
   */
  readonly user?: string
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Marks the clock as busy while a response body is read, so that no time passes. */
const trackBodyReads =
  (clock: InternalClock, fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (isStalled(response)) return response
    const done = clock.markBusy()
    // After an abort, the client does not read the body.
    if (init.signal?.aborted) done()
    else init.signal?.addEventListener('abort', done, { once: true })
    const read = response.text.bind(response)
    Object.assign(response, { text: () => read().finally(done) })
    // The client reads error bodies in chunks.
    const { body } = response
    const getReader = body?.getReader.bind(body)
    if (body && getReader)
      Object.assign(body, {
        getReader: () => {
          const reader = getReader()
          reader.closed.catch(() => {}).then(done)
          return reader
        },
      })
    return response
  }

/** Creates a `@flowpost/client` client that calls the mock directly and uses the mock's clock. */
export const createMockClient = (
  deps: { readonly clock: InternalClock; readonly fetch: Fetch; readonly baseUrl: string; readonly random: () => number },
  options: Omit<MockClientOptions, 'user'> & { readonly apiKey: NonNullable<FlowpostOptions['apiKey']> },
): Flowpost => {
  const { clock, fetch, baseUrl, random } = deps
  return createFlowpost({
    clock: { now: clock.now, schedule: clock.scheduleAwaited },
    random,
    // A mock's API key needs no protection.
    dangerouslyAllowBrowser: true,
    ...options,
    baseUrl,
    fetch: trackBodyReads(clock, fetch),
  })
}
