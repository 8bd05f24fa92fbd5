type Fetch = (input: string, init: RequestInit) => Promise<Response>

const maxRetries = 5
const maxWaitSeconds = 120

/**
 * Wraps `fetch` so that it retries requests that exceed the server's rate limit, after the delay in the `Retry-After`
 * header. Returns the 429 response after {@link maxRetries} retries, or if the delay is missing or exceeds
 * {@link maxWaitSeconds}.
 */
export const respectRateLimit =
  (fetch: Fetch, sleep: (ms: number) => Promise<unknown>): Fetch =>
  async (input, init) => {
    for (let retry = 0; ; retry += 1) {
      const response = await fetch(input, init)
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (response.status !== 429 || retry === maxRetries || !(seconds <= maxWaitSeconds)) return response
      // Reads the body, which frees the connection.
      await response.text()
      await sleep(seconds * 1_000)
    }
  }
