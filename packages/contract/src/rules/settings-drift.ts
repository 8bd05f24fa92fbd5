/** The name of the request header with the settings digest that the sender expects. */
export const settingsDigestHeader = 'flowpost-settings-digest'

/** The response headers that tell the sender that the settings have changed. */
export const settingsChangedHeaders = { 'Flowpost-Settings-Changed': 'true' } as const

/**
 * Returns the key of the project whose settings are compared with the digest in a send request; `undefined` if the
 * request does not name the project by key. For a batch, the first notification determines the project.
 */
export const comparedProjectKey = (body: unknown): string | undefined => {
  const { notifications } = Object(body) as { readonly notifications?: unknown }
  const { project } = Object(Array.isArray(notifications) ? notifications[0] : body) as { readonly project?: unknown }
  return typeof project === 'string' ? project : undefined
}
