import type { FlowpostLock } from '@flowpost/client'
import { toJsonPointer } from '@flowpost/contract/rules'
import { z } from 'zod'

const supportedVersion = 1

const Flow = z.object({
  name: z.string(),
  active: z.boolean(),
  source_type: z.string(),
  target: z.string().optional(),
  override_target: z.boolean(),
  message_template: z.union([z.string(), z.array(z.string())], 'Must be a string or a list of lines'),
  message_template_type: z.string(),
})

const Project = z.object({
  name: z.string(),
  digest: z.string(),
  flows: z.record(z.string(), Flow),
  integrations: z.record(z.string(), z.object({ settings: z.record(z.string(), z.unknown()) })),
})

const Lock = z.object({ lockfile_version: z.literal(supportedVersion), projects: z.record(z.string(), Project) })

/**
 * Validates the structure of a lock file.
 *
 * @throws {TypeError} When the lock file has a newer version than this package supports, or is not valid.
 */
export const parseLock = (lock: unknown): FlowpostLock => {
  const { lockfile_version: version } = Object(lock) as { readonly lockfile_version?: unknown }
  if (typeof version === 'number' && version > supportedVersion)
    throw new TypeError(
      `The lock file has version ${version}, but this version of @flowpost/testing supports only version ${supportedVersion}. Update @flowpost/testing.`,
    )
  const parsed = Lock.safeParse(lock)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${toJsonPointer(path) || '/'}: ${message}`)
  throw new TypeError(`The lock file is invalid. ${issues.join('. ')}. Write it again with \`flowpost types\`.`)
}
