import type { ComposedMessage, OutgoingMessage, Provider } from './provider.ts'

/**
 * Composes a captured message for the outbox, without sending it.
 *
 * @param settings The settings in the stored credential. @default the provider's `placeholderSettings`
 * @throws Error when the provider's schema rejects the settings.
 */
export async function captureMessage(provider: Provider, message: OutgoingMessage, settings?: unknown): Promise<ComposedMessage> {
  if (settings !== undefined && settings !== null) {
    return provider.compose(message, (provider.deploymentSettings ?? provider.settings).parse(settings))
  }
  if (provider.placeholderSettings !== undefined) return provider.compose(message, provider.placeholderSettings)
  const { text, html } = message.content
  return {
    headers: [['Subject', message.content.subject]],
    text,
    ...(html === undefined ? {} : { html }),
    raw: JSON.stringify({ target: message.target, ...message.content }, null, 2),
    envelope: { to: message.target },
  }
}
