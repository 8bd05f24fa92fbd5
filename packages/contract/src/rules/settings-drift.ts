/** The name of the request header that contains the digest of the settings that the sender expects. */
export const settingsDigestHeader = 'flowpost-settings-digest'

/** The response headers that tell the sender that the settings have changed. */
export const settingsChangedHeaders = { 'Flowpost-Settings-Changed': 'true' } as const

/**
 * Returns the project key in a send request, or in the first notification of a batch; `undefined` if there is none. The
 * settings of this project are compared with the digest in the request.
 */
export const comparedProjectKey = (body: unknown): string | undefined => {
  const { notifications } = Object(body) as { readonly notifications?: unknown }
  const { project } = Object(Array.isArray(notifications) ? notifications[0] : body) as { readonly project?: unknown }
  return typeof project === 'string' ? project : undefined
}
