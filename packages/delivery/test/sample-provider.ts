import { z } from 'zod'
import { defineProvider, type Provider, type SendCall, type SendResult } from '../src/index.ts'

type Call = SendCall<{ room: string }, { token: string }, unknown>

/** A provider that does what a test says when it sends. */
export function sampleProvider(
  send: (call: Call) => Promise<SendResult> = async () => ({ providerMessageId: 'm1', response: 'ok' }),
  changes: Partial<Provider<{ room: string }, { token: string }, unknown>> = {},
): Provider {
  return defineProvider({
    id: 'sample',
    kind: 'chat',
    limits: { textCharacters: 10 },
    parseTarget: (address) =>
      address.startsWith('room-') ? { ok: true, target: address, key: address } : { ok: false, message: 'Rooms start with room-.' },
    settings: z.strictObject({ room: z.string() }),
    secrets: z.strictObject({ token: z.string() }),
    compose: ({ content, target }, { room }) => ({
      headers: [['Room', room]],
      text: content.text,
      raw: content.text,
      envelope: { to: target },
    }),
    send,
    check: async () => [{ name: 'authenticate', ok: true, code: 'ok', detail: 'fine' }],
    ...changes,
  })
}

export const sampleCredential = { settings: { room: 'attic' }, secrets: { token: 'hush-hush' } }
