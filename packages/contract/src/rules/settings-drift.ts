/** The request header that contains the digest of the settings that the sender knows. */
export const settingsDigestHeader = 'flowpost-settings-digest'

/** The response headers if the settings have changed. */
export const settingsChangedHeaders = { 'Flowpost-Settings-Changed': 'true' } as const

/** Returns the key of the project whose settings a request to send is compared with. In a batch, the first notification names it. */
export const comparedProjectKey = (body: unknown): string | undefined => {
  const { notifications } = Object(body) as { readonly notifications?: unknown }
  const { project } = Object(Array.isArray(notifications) ? notifications[0] : body) as { readonly project?: unknown }
  return typeof project === 'string' ? project : undefined
}
