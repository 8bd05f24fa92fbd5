import type { ComposedMessage, OutgoingMessage, Provider } from '../provider.ts'

/**
 * What would have left the machine, for an outbox that shows messages instead of sending them.
 *
 * @param settings As stored; the provider's placeholder settings stand in when there are none.
 * @throws Error when settings are given that the provider refuses.
 */
export async function captureMessage(provider: Provider, message: OutgoingMessage, settings?: unknown): Promise<ComposedMessage> {
  if (settings !== undefined && settings !== null) {
    return provider.compose(message, (provider.deploymentSettings ?? provider.settings).parse(settings))
  }
  if (provider.placeholder !== undefined) return provider.compose(message, provider.placeholder)
  const { text, html } = message.content
  return {
    headers: [['Subject', message.content.subject]],
    text,
    ...(html === undefined ? {} : { html }),
    raw: JSON.stringify({ target: message.target, ...message.content }, null, 2),
    envelope: { to: message.target },
  }
}
