import { type ConformanceCase, httpConformanceCase } from '../src/conformance.ts'
import { type ContentLimits, defineProvider, exchange, statusFailure, z } from '../src/index.ts'

/** What a provider may do differently, rightly or wrongly. */
interface ShortMessageOptions {
  readonly limits?: ContentLimits
  readonly title?: (subject: string) => string
  readonly text?: (text: string) => string
}

const longestTitle = 250

/** A service with short messages under a title, and its secret in the body of the request. */
export const shortMessageCase = (options: ShortMessageOptions = {}): Promise<ConformanceCase> => {
  const { limits = { textCharacters: 160 }, title = (subject) => subject.slice(0, longestTitle), text = (text) => text } = options
  const tooLong = ({ title, message }: Record<string, string>) =>
    [...(title ?? '')].length > longestTitle || [...(message ?? '')].length > (limits.textCharacters ?? Number.POSITIVE_INFINITY)
  return httpConformanceCase(
    (url) => ({
      provider: shortMessages(url, { limits, title, text }),
      credential: { settings: {}, secrets: { token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi' }, trusted: true },
      targets: ['ada', 'bob'],
      badTargets: ['no blanks', ''],
    }),
    {
      isMessage: ({ path }) => path === '/messages',
      read: ({ body }) => {
        const { user, message } = JSON.parse(body) as { user: string; message: string }
        return { target: user, text: message }
      },
      answers: {
        accept: ({ body }) => (tooLong(JSON.parse(body)) ? { status: 400, body: { error: 'too long' } } : { status: 200 }),
        refuse: ({ body }) => ({ status: 400, body: { error: body } }),
        'refuse-credential': ({ body }) => ({ status: 401, body: { error: body } }),
        throttle: () => ({ status: 429, headers: { 'retry-after': '7' } }),
        fail: () => ({ status: 500 }),
      },
    },
  )
}

const shortMessages = (url: string, { limits, title, text }: Required<ShortMessageOptions>) =>
  defineProvider({
    id: 'short',
    kind: 'chat',
    parseTarget: (user) => (/^[a-z]+$/.test(user) ? { ok: true, target: user, key: user } : { ok: false, message: 'A user has letters.' }),
    escape: (value) => value,
    limits,
    settings: z.strictObject({}),
    secrets: z.strictObject({ token: z.string() }),
    compose: ({ target, content }) => ({
      headers: [],
      text: text(content.text),
      raw: JSON.stringify({ user: target, title: title(content.subject), message: text(content.text) }),
      envelope: { to: target },
    }),
    async send(call) {
      const { target, content } = call.message
      const body = { token: call.secrets.token, user: target, title: title(content.subject), message: text(content.text) }
      const answer = await exchange(call, `${url}messages`, { method: 'POST', body: JSON.stringify(body) })
      if (answer.status !== 200) throw statusFailure(answer, `The service answered ${answer.status}.`)
      return { providerMessageId: null, response: answer.text }
    },
    async check(call) {
      const answer = await exchange(call, `${url}users`, { method: 'POST', body: JSON.stringify({ token: call.secrets.token }) })
      if (answer.status !== 200) throw statusFailure(answer, 'The service refused the token.')
      return [{ name: 'authenticate', ok: true, code: 'ok', detail: 'The service accepted the token.' }]
    },
  })
