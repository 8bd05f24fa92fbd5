/** Returns the endpoint's signing secret, or both secrets during a rotation. A space separates them in the variable. */
export const secrets = (): string[] => (process.env['FLOWPOST_EVENT_SECRETS'] ?? '').split(' ')
