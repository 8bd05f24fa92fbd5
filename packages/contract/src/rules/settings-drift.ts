/** The request header that contains the digest of the settings that the sender knows. */
export const settingsDigestHeader = 'flowpost-settings-digest'

/** The response headers if the settings have changed. */
export const settingsChangedHeaders = { 'Flowpost-Settings-Changed': 'true' } as const

/**
 * Returns the key of the project whose settings are compared with the digest in a request to send. In a batch, it is the project
 * of the first notification.
 */
export const comparedProjectKey = (body: unknown): string | undefined => {
  const { notifications } = Object(body) as { readonly notifications?: unknown }
  const { project } = Object(Array.isArray(notifications) ? notifications[0] : body) as { readonly project?: unknown }
  return typeof project === 'string' ? project : undefined
}
