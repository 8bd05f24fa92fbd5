/** The environment of a server that can be compared with the mock. It has no credentials, so it captures all messages. */
export const modelEnvironment: Readonly<Record<string, string>> = {
  FLOWPOST_RATE_LIMIT: 'off',
  FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
}
