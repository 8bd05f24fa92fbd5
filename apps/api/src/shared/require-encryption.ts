import { ApiError } from './api-error.ts'
import type { Encryption } from './encryption.ts'

/**
 * Rejects a request to store a secret when the deployment has no encryption key.
 * @throws ApiError `encryption_not_configured`.
 */
export const requireEncryption = (encryption: Encryption): void => {
  if (encryption.primaryKeyId !== undefined) return
  throw new ApiError(
    'encryption_not_configured',
    'This deployment cannot store secrets. Its operator must set FLOWPOST_ENCRYPTION_KEY to `<id>:<base64 of 32 bytes>`.',
  )
}
