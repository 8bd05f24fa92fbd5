import { type ConformanceCase, createHttpConformanceCase } from '../src/conformance.ts'
import { type ContentLimits, createStatusError, defineProvider, sendRequest, z } from '../src/index.ts'

/** Options that can make the provider faulty. With the defaults, the provider is correct. */
interface ShortMessageOptions {
  readonly limits?: ContentLimits
  readonly formatTitle?: (subject: string) => string
  readonly formatText?: (text: string) => string
}

const maxTitleLength = 250

/** Creates the conformance case for a provider whose messages have titles and whose request bodies contain the secret. */
export const createShortMessageCase = (options: ShortMessageOptions = {}): Promise<ConformanceCase> => {
  const {
    limits = { textCharacters: 160 },
    formatTitle = (subject) => subject.slice(0, maxTitleLength),
    formatText = (text) => text,
  } = options
  const isTooLong = ({ title, message }: Record<string, string>) =>
    [...(title ?? '')].length > maxTitleLength || [...(message ?? '')].length > (limits.textCharacters ?? Number.POSITIVE_INFINITY)
  return createHttpConformanceCase(
    (url) => ({
      provider: createProvider(url, { limits, formatTitle, formatText }),
      credential: { settings: {}, secrets: { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi' }, trusted: true },
      targets: ['ada', 'bob'],
      invalidTargets: ['no blanks', ''],
    }),
    {
      isMessage: ({ path }) => path === '/messages',
      parseMessage: ({ body }) => {
        const { user, message } = JSON.parse(body) as { user: string; message: string }
        return { target: user, text: message }
      },
      responses: {
        accept: ({ body }) => (isTooLong(JSON.parse(body)) ? { status: 400, body: { error: 'too long' } } : { status: 200 }),
        reject: ({ body }) => ({ status: 400, body: { error: body } }),
        'reject-credential': ({ body }) => ({ status: 401, body: { error: body } }),
        throttle: () => ({ status: 429, headers: { 'retry-after': '7' } }),
        fail: () => ({ status: 500 }),
      },
    },
  )
}

const createProvider = (url: string, { limits, formatTitle, formatText }: Required<ShortMessageOptions>) =>
  defineProvider({
    id: 'short',
    kind: 'chat',
    parseTarget: (user) =>
      /^[a-z]+$/.test(user) ? { ok: true, target: user, key: user } : { ok: false, message: 'A user name consists of lower-case letters.' },
    escape: (value) => value,
    limits,
    settings: z.strictObject({}),
    secrets: z.strictObject({ token: z.string() }),
    compose: ({ target, content }) => ({
      headers: [],
      text: formatText(content.text),
      raw: JSON.stringify({ user: target, title: formatTitle(content.subject), message: formatText(content.text) }),
      envelope: { to: target },
    }),
    async send(context) {
      const { target, content } = context.message
      const body = { token: context.secrets.token, user: target, title: formatTitle(content.subject), message: formatText(content.text) }
      const response = await sendRequest(context, `${url}messages`, { method: 'POST', body: JSON.stringify(body) })
      if (response.status !== 200) throw createStatusError(response, `The service returned ${response.status}.`)
      return { providerMessageId: null, response: response.text }
    },
    async check(context) {
      const response = await sendRequest(context, `${url}users`, { method: 'POST', body: JSON.stringify({ token: context.secrets.token }) })
      if (response.status !== 200) throw createStatusError(response, 'The service rejected the token.')
      return [{ name: 'authenticate', ok: true, code: 'ok', detail: 'The service accepted the token.' }]
    },
  })
