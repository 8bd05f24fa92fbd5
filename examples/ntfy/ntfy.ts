import { createStatusError, DeliveryError, defineProvider, sendRequest, z } from '@flowpost/delivery'

/** Serializes the request body, both for sending and for the outbox. */
const serialize = (topic: string, subject: string, text: string) => JSON.stringify({ topic, title: subject, message: text })

/** Creates a provider for push notifications through ntfy (https://docs.ntfy.sh/publish/#publish-as-json). */
export const createNtfy = (serverUrl = 'https://ntfy.sh/') =>
  defineProvider({
    id: 'ntfy',
    kind: 'chat',
    parseTarget: (topic) =>
      /^[A-Za-z0-9_-]{1,64}$/.test(topic)
        ? { ok: true, target: topic, key: topic }
        : { ok: false, message: 'A topic has 1 to 64 letters, digits, "_" and "-".' },
    escape: (value) => value,
    limits: { textCharacters: 4000 },
    settings: z.strictObject({}),
    secrets: z.strictObject({ token: z.string().regex(/^tk_[a-z0-9]+$/) }),
    secretDestination: {},
    placeholderSettings: {},

    compose: ({ target, content }) => ({
      headers: [['Title', content.subject.replace(/\s+/g, ' ')]],
      text: content.text,
      raw: serialize(target, content.subject, content.text),
      envelope: { to: target },
    }),

    async send(context) {
      const { target, content } = context.message
      const headers = { authorization: `Bearer ${context.secrets.token}`, 'content-type': 'application/json' }
      const body = serialize(target, content.subject, content.text)
      const response = await sendRequest(context, serverUrl, { method: 'POST', headers, body })
      if (response.status !== 200) throw createStatusError(response, `ntfy returned ${response.status}.`)
      return { providerMessageId: String(response.json.id), response: response.text }
    },

    async check(context) {
      const headers = { authorization: `Bearer ${context.secrets.token}` }
      const response = await sendRequest(context, new URL('v1/account', serverUrl).href, { headers })
      if (response.status !== 200)
        throw new DeliveryError({ kind: 'credential', code: `http_${response.status}`, detail: 'ntfy rejected the token.' })
      return [{ name: 'authenticate', ok: true, code: 'ok', detail: 'ntfy accepted the token.' }]
    },
  })

/** The provider that FLOWPOST_PROVIDERS=examples/ntfy/ntfy.ts registers. */
export const ntfy = createNtfy(process.env['NTFY_URL'])
