/** The environment of a server that can be compared with the mock. It has no credentials, so it captures all messages. */
export const modelEnvironment: Readonly<Record<string, string>> = {
  FLOWPOST_RATE_LIMIT: 'off',
  FLOWPOST_TRUST_PROXY: '1',
  FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
}

/**
 * Creates a `fetch` function whose requests all come from different addresses, because the random sequences use more invalid
 * keys than are allowed from one address. The server needs {@link modelEnvironment}.
 */
export const createFetchFromAnywhere = () => {
  let requests = 0
  return (input: string, init: RequestInit): Promise<Response> => {
    requests += 1
    const address = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
    return fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), 'x-forwarded-for': address } })
  }
}
