import { DeliveryError, defineProvider, exchange, statusFailure, z } from '@flowpost/delivery'

/** Returns the request body, which the outbox shows too. */
const body = (topic: string, subject: string, text: string) => JSON.stringify({ topic, title: subject, message: text })

/** Sends push notifications through an ntfy server (https://docs.ntfy.sh/publish/#publish-as-json). */
export const createNtfy = (server = 'https://ntfy.sh/') =>
  defineProvider({
    id: 'ntfy',
    kind: 'chat',
    parseTarget: (topic) =>
      /^[A-Za-z0-9_-]{1,64}$/.test(topic)
        ? { ok: true, target: topic, key: topic }
        : { ok: false, message: 'A topic has up to 64 letters, digits, "_" and "-".' },
    escape: (value) => value,
    limits: { textCharacters: 4000 },
    settings: z.strictObject({}),
    secrets: z.strictObject({ token: z.string().regex(/^tk_[a-z0-9]+$/) }),
    secretDestination: {},
    placeholder: {},

    compose: ({ target, content }) => ({
      headers: [['Title', content.subject.replace(/\s+/g, ' ')]],
      text: content.text,
      raw: body(target, content.subject, content.text),
      envelope: { to: target },
    }),

    async send(call) {
      const { target, content } = call.message
      const headers = { authorization: `Bearer ${call.secrets.token}`, 'content-type': 'application/json' }
      const answer = await exchange(call, server, { method: 'POST', headers, body: body(target, content.subject, content.text) })
      if (answer.status !== 200) throw statusFailure(answer, `ntfy answered ${answer.status}.`)
      return { providerMessageId: String(answer.json.id), response: answer.text }
    },

    async check(call) {
      const headers = { authorization: `Bearer ${call.secrets.token}` }
      const answer = await exchange(call, new URL('v1/account', server).href, { headers })
      if (answer.status !== 200)
        throw new DeliveryError({ kind: 'credential', code: `http_${answer.status}`, detail: 'ntfy refused the token.' })
      return [{ name: 'authenticate', ok: true, code: 'ok', detail: 'ntfy accepted the token.' }]
    },
  })

/** The provider to register: FLOWPOST_PROVIDERS=examples/ntfy/ntfy.ts */
export const ntfy = createNtfy(process.env['NTFY_URL'])
