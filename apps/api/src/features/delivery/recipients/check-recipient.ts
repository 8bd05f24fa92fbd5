import { type Channels, parseRecipient } from '@flowpost/domain'
import type { BodyCheck } from '../../../http/check-bodies.ts'
import { toBodyErrors } from '../../../shared/api-error.ts'

/** Returns a body check that rejects a `target` that is not a valid recipient. */
export const checkRecipient =
  (channels: Channels): BodyCheck =>
  async ({ body }) => {
    const target: unknown = (body as { target?: unknown } | null | undefined)?.target
    if (typeof target !== 'string' || target === '') return []
    const parsed = parseRecipient(channels, target)
    return parsed.ok ? [] : toBodyErrors([{ pointer: '/target', code: 'invalid_target', message: parsed.message }])
  }
