import { settingsDigest } from '../headers.ts'
import { Key } from '../primitives.ts'

/** The name of the request header that contains the digest of the settings that the sender expects. */
export const settingsDigestHeader = 'flowpost-settings-digest'

/** The response headers that tell the sender that the settings have changed. */
export const settingsChangedHeaders = { 'Flowpost-Settings-Changed': 'true' } as const

/** The settings digest in a request, and the key of the project whose settings it is compared with. */
export interface ExpectedSettings {
  readonly digest: string
  readonly projectKey: string
}

/**
 * Returns the settings digest in a request, and the project key in its body or in the first notification of a batch.
 * Returns `undefined` if one of them is missing or malformed. The rest of the body can be invalid.
 */
export const readExpectedSettings = (digestHeader: string | null | undefined, body: unknown): ExpectedSettings | undefined => {
  const digest = settingsDigest[settingsDigestHeader].safeParse(digestHeader ?? undefined).data
  if (digest === undefined) return undefined
  const { notifications } = Object(body) as { readonly notifications?: unknown }
  const { project } = Object(Array.isArray(notifications) ? notifications[0] : body) as { readonly project?: unknown }
  const projectKey = Key.safeParse(project).data
  return projectKey === undefined ? undefined : { digest, projectKey }
}
