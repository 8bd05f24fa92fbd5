import { defineProvider, type Provider, z } from '@flowpost/delivery'

/**
 * Creates an email provider without settings, secrets and network access, which accepts every target.
 * @param send sends a message to a target. It rejects if the message could not be sent.
 */
export const createEmailProvider = (id: string, send: (target: string) => Promise<void>): Provider =>
  defineProvider({
    id,
    kind: 'email',
    limits: {},
    parseTarget: (address) => ({ ok: true, target: address, key: address }),
    settings: z.strictObject({}),
    secrets: z.strictObject({}),
    secretDestination: {},
    compose: ({ content, target }) => ({ headers: [], text: content.text, raw: content.text, envelope: { to: target } }),
    send: async ({ message }) => {
      await send(message.target)
      return { providerMessageId: 'm1', response: 'accepted' }
    },
    check: async () => [],
  })
