import { parsePart } from './client/credential.ts'
import { redactError, toProviderFault } from './client/provider-errors.ts'
import { createRedactor } from './client/redaction.ts'
import { DeliveryError } from './delivery-error.ts'
import type { ComposedMessage, OutgoingMessage, Provider } from './provider.ts'

/**
 * Composes a captured message for the outbox, without sending it.
 *
 * @param settings The settings in the stored credential. @default the provider's `placeholderSettings`
 * @throws DeliveryError `settings_invalid` when the provider's schema rejects the settings.
 * @throws DeliveryError when the provider's `compose` throws. The code is `provider_fault` unless `compose` throws a
 * `DeliveryError`.
 */
export async function captureMessage(provider: Provider, message: OutgoingMessage, settings?: unknown): Promise<ComposedMessage> {
  if (settings !== undefined && settings !== null) {
    return compose(provider, message, parsePart(provider.deploymentSettings ?? provider.settings, settings, 'settings'))
  }
  if (provider.placeholderSettings !== undefined) return compose(provider, message, provider.placeholderSettings)
  const { text, html } = message.content
  return {
    headers: [['Subject', message.content.subject]],
    text,
    ...(html === undefined ? {} : { html }),
    raw: JSON.stringify({ target: message.target, ...message.content }, null, 2),
    envelope: { to: message.target },
  }
}

async function compose(provider: Provider, message: OutgoingMessage, settings: unknown): Promise<ComposedMessage> {
  try {
    return await provider.compose(message, settings)
  } catch (error) {
    const deliveryError = error instanceof DeliveryError ? error : toProviderFault(error, 'provider', ' The message was not sent.')
    // `compose` receives no secrets, but the texts of the error may be too long, or contain control characters.
    throw redactError(deliveryError, createRedactor({}))
  }
}
