import { createFlowpost, type Flowpost, type FlowpostOptions } from '@flowpost/client'
import type { OwnClock } from './clock/mock-clock.ts'
import { isStalled } from './http/response.ts'

/** How to make a client of a mock. */
export interface MockClientOptions extends Omit<FlowpostOptions, 'baseUrl' | 'fetch'> {
  /** Whose client it is. Default `local`. Another one sees nothing of what is not theirs. */
  readonly user?: string
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Tells the clock while the body of an answer is read, because no time may pass then. */
const reportReading =
  (clock: OwnClock, fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (isStalled(response)) return response
    const done = clock.busy()
    const read = response.text.bind(response)
    Object.assign(response, { text: () => read().finally(done) })
    // A client reads the body of an error piece by piece.
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

/** Makes a client of `@flowpost/client` that calls the mock directly and pauses on its clock. */
export const createMockClient = (
  deps: { readonly clock: OwnClock; readonly fetch: Fetch; readonly baseUrl: string; readonly random: () => number },
  options: Omit<MockClientOptions, 'user'> & { readonly apiKey: NonNullable<FlowpostOptions['apiKey']> },
): Flowpost => {
  const { clock, fetch, baseUrl, random } = deps
  return createFlowpost({
    clock: { now: clock.now, schedule: clock.hold },
    random,
    // The mock is no server that could be robbed.
    dangerouslyAllowBrowser: true,
    ...options,
    baseUrl,
    fetch: reportReading(clock, fetch),
  })
}
