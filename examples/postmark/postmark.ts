import {
  createStatusError,
  DeliveryError,
  defineProvider,
  type FailureKind,
  type HttpResponse,
  type OutgoingMessage,
  type Report,
  sendRequest,
  smtp,
  z,
} from '@flowpost/delivery'

const settings = z.strictObject({
  from: z.email(),
  /** The message stream, which separates transactional messages from broadcasts. */
  message_stream: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/)
    .default('outbound'),
})

type Settings = z.output<typeof settings>

/** Joins the lines of a subject with spaces, because a header cannot contain line breaks. */
const toLine = (subject: string) => subject.replace(/\s+/g, ' ')

/**
 * Serializes the request body, both for sending and for the outbox. The same message always results in the same bytes.
 */
const serialize = ({ deliveryId, target, content }: OutgoingMessage, { from, message_stream }: Settings) =>
  JSON.stringify({
    From: from,
    To: target,
    Subject: toLine(content.subject),
    TextBody: content.text,
    ...(content.html === undefined ? {} : { HtmlBody: content.html }),
    MessageStream: message_stream,
    // Every Postmark report contains this metadata, so Flowpost can find the delivery.
    Metadata: { flowpost_delivery_id: deliveryId },
    Headers: [
      { Name: 'Message-ID', Value: `<${deliveryId}@${from.split('@')[1]}>` },
      { Name: 'X-PM-KeepID', Value: 'true' },
    ],
  })

/**
 * The failure kind for each of these Postmark error codes in a 422 response. For all other responses, the HTTP status
 * determines the kind.
 */
const kindByCode: Readonly<Record<number, FailureKind>> = {
  400: 'credential', // There is no such sender signature.
  401: 'credential', // The sender signature is not confirmed.
  405: 'credential', // The account has no credits left.
  406: 'target', // Postmark has deactivated the recipient, for example after a bounce.
  412: 'credential', // The account is not approved yet.
  413: 'credential', // The account may not send.
}

const createError = (response: HttpResponse): DeliveryError => {
  const { status, json, text } = response
  const number = typeof json['ErrorCode'] === 'number' ? json['ErrorCode'] : 0
  const code = number === 0 ? `http_${status}` : String(number)
  const kind = status === 422 ? kindByCode[number] : undefined
  const detail = `Postmark returned ${status} with the code ${number}.`
  return kind === undefined
    ? createStatusError(response, detail, code)
    : new DeliveryError({ kind, code, detail, providerResponse: `${status} ${text}` })
}

const text = z.string().optional().catch(undefined)

const report = z.object({
  RecordType: z.string(),
  Type: text,
  Description: text,
  Details: text,
  DeliveredAt: text,
  BouncedAt: text,
  Metadata: z.object({ flowpost_delivery_id: z.string() }),
})

/**
 * The enhanced mail status code for each bounce type after which Postmark stops trying. `5.1.1` suppresses the recipient;
 * `4.0.0` does not.
 */
const codeByBounce: Readonly<Record<string, string>> = {
  HardBounce: '5.1.1',
  BadEmailAddress: '5.1.1',
  SoftBounce: '4.0.0',
  DnsError: '4.0.0',
  SpamNotification: '4.0.0',
  Blocked: '4.0.0',
  DMARCPolicy: '4.0.0',
}

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** Reads a report from a Postmark webhook. A report has no signature, so the secret in the inbound address proves its origin. */
const readReport = ({ body }: { readonly body: Uint8Array }): Report => {
  const { data } = report.safeParse(parseJson(body))
  if (data === undefined) return { status: 'ignored' }
  const deliveryId = data.Metadata.flowpost_delivery_id
  const at = new Date(data.DeliveredAt ?? data.BouncedAt ?? Number.NaN)
  switch (data.RecordType) {
    case 'Delivery':
      return { status: 'receipt', deliveryId, receipt: { status: 'delivered', at, detail: data.Details } }
    case 'SpamComplaint':
      return { status: 'receipt', deliveryId, receipt: { status: 'complained', at } }
    case 'Bounce': {
      const code = codeByBounce[data.Type ?? '']
      if (code === undefined) return { status: 'ignored' } // Automatic replies, delays and changed subscriptions are not bounces.
      return { status: 'receipt', deliveryId, receipt: { status: 'bounced', at, code, detail: `${data.Type}: ${data.Description}` } }
    }
    default:
      return { status: 'ignored' }
  }
}

/** Creates a provider for email through Postmark (https://postmarkapp.com/developer/api/email-api). */
export const createPostmark = (apiUrl = 'https://api.postmarkapp.com/') =>
  defineProvider({
    id: 'postmark',
    kind: 'email',
    parseTarget: smtp.parseTarget,
    limits: { totalBytes: 5_000_000 },
    settings,
    secrets: z.strictObject({ server_token: z.string().regex(/^[\w-]{1,100}$/) }),
    secretDestination: {},
    placeholderSettings: { from: 'flowpost@example.com', message_stream: 'outbound' },
    reportType: 'application/json',

    compose: (message, sender) => ({
      headers: [
        ['From', sender.from],
        ['To', message.target],
        ['Subject', toLine(message.content.subject)],
      ],
      text: message.content.text,
      ...(message.content.html === undefined ? {} : { html: message.content.html }),
      raw: serialize(message, sender),
      envelope: { from: sender.from, to: message.target },
    }),

    async send(context) {
      const headers = { 'x-postmark-server-token': context.secrets.server_token, 'content-type': 'application/json' }
      const body = serialize(context.message, context.settings)
      const response = await sendRequest(context, new URL('email', apiUrl).href, { method: 'POST', headers, body })
      if (response.status !== 200) throw createError(response)
      return { providerMessageId: String(response.json['MessageID']), response: response.text }
    },

    async check(context) {
      const headers = { 'x-postmark-server-token': context.secrets.server_token }
      const response = await sendRequest(context, new URL('server', apiUrl).href, { headers })
      if (response.status !== 200) throw createError(response)
      return [{ name: 'authenticate', ok: true, code: 'ok', detail: 'Postmark accepted the token.' }]
    },

    readReport,
  })

/** The provider that FLOWPOST_PROVIDERS=examples/postmark/postmark.ts registers. */
export const postmark = createPostmark(process.env['POSTMARK_API_URL'])
