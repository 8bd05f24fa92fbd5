import { findContentIssues } from '@flowpost/domain'
import { DeliveryError } from './delivery-error.ts'
import type { OutgoingMessage, Provider, StrictObject } from './provider.ts'

/** What a message is sent with. */
export interface Credential {
  readonly settings: unknown
  readonly secrets: unknown
  /** True for the deployment's own: the provider's `deploymentSettings` apply, and private addresses may be reached. Default false. */
  readonly trusted?: boolean
}

/**
 * Reads settings and secrets through the provider's schemas.
 *
 * @throws DeliveryError of kind `credential`, naming the fields at fault but not their values.
 */
export function readCredential(provider: Provider, credential: Credential): { settings: unknown; secrets: unknown } {
  const schema = (credential.trusted && provider.deploymentSettings) || provider.settings
  return {
    settings: read(schema, credential.settings, 'settings'),
    secrets: read(provider.secrets, credential.secrets, 'secrets'),
  }
}

function read(schema: StrictObject, value: unknown, part: 'settings' | 'secrets'): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const paths = result.error.issues.map((issue) => [part, ...issue.path.map(String)].join('.'))
  throw new DeliveryError({
    kind: 'credential',
    code: `${part}_invalid`,
    detail: `The integration is not usable as stored; see ${[...new Set(paths)].join(', ')}.`,
  })
}

/**
 * Checks what the server has checked at acceptance, so that a provider can rely on it whoever calls.
 *
 * @throws DeliveryError of kind `target` or `content`.
 */
export function checkMessage(provider: Provider, message: OutgoingMessage): void {
  const target = provider.parseTarget(message.target)
  if (!target.ok) throw new DeliveryError({ kind: 'target', code: 'target_invalid', detail: target.message })
  const [fault] = findContentIssues(message.content, provider.limits)
  if (fault) throw new DeliveryError({ kind: 'content', code: 'content_too_long', detail: fault.message })
}
