/** Returns the signing secrets of the endpoint: one, or two during a rotation, separated by a space. */
export const secrets = (): string[] => (process.env['FLOWPOST_EVENT_SECRETS'] ?? '').split(' ')
