import { findContentIssues } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import type { OutgoingMessage, Provider, StrictObject } from '../provider.ts'

/** The settings and secrets for sending messages. */
export interface Credential {
  readonly settings: unknown
  readonly secrets: unknown
  /**
   * Whether this is the deployment's own credential rather than a tenant's. If so, settings are parsed with the provider's
   * `deploymentSettings`, and private addresses may be reached. @default false
   */
  readonly trusted?: boolean
}

/**
 * Parses settings and secrets with the provider's schemas.
 *
 * @throws DeliveryError of kind `credential`, as {@link parsePart} does.
 */
export function parseCredential(provider: Provider, credential: Credential): { settings: unknown; secrets: unknown } {
  const settingsSchema = (credential.trusted && provider.deploymentSettings) || provider.settings
  return {
    settings: parsePart(settingsSchema, credential.settings, 'settings'),
    secrets: parsePart(provider.secrets, credential.secrets, 'secrets'),
  }
}

/**
 * Parses one part of a credential.
 *
 * @throws DeliveryError of kind `credential`. The error names the invalid fields but does not contain their values.
 */
export function parsePart(schema: StrictObject, value: unknown, part: 'settings' | 'secrets'): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const paths = result.error.issues.map((issue) => [part, ...issue.path.map(String)].join('.'))
  throw new DeliveryError({
    kind: 'credential',
    code: `${part}_invalid`,
    detail: `The stored integration has invalid fields: ${[...new Set(paths)].join(', ')}.`,
  })
}

/**
 * Validates the target and content of a message, so that providers do not need to. The server has already validated its
 * messages, but other programs can use this package too.
 *
 * @throws DeliveryError of kind `target` or `content`.
 */
export function validateMessage(provider: Provider, message: OutgoingMessage): void {
  const target = provider.parseTarget(message.target)
  if (!target.ok) throw new DeliveryError({ kind: 'target', code: 'target_invalid', detail: target.message })
  const [issue] = findContentIssues(message.content, provider.limits)
  if (issue) throw new DeliveryError({ kind: 'content', code: 'content_too_long', detail: issue.message })
}
