import { describeTeams } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { exchange, type HttpAnswer, spoken, statusFailure } from '../http.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { urlNamed } from './named-urls.ts'

/** What a deployment may decide about Teams. */
export interface TeamsOptions {
  /** Tells the URLs of Teams workflows. Default: HTTPS to the hosts of Power Automate. */
  readonly isWorkflowUrl?: (url: URL) => boolean
}

const headers = { 'content-type': 'application/json; charset=utf-8' }
const largestMessageBytes = 28_000

/**
 * Makes the provider `teams`: messages to a channel or chat of Microsoft Teams through a workflow that was made with
 * "Post to a channel when a webhook request is received". A target is the name of a workflow URL in the secrets.
 * Workflows take Adaptive Cards alone.
 * Source: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function createTeams({ isWorkflowUrl }: TeamsOptions = {}) {
  return defineProvider({
    ...describeTeams(isWorkflowUrl),
    placeholder: {},
    compose,

    async send(call) {
      const body = bodyOf(call.message)
      if (Buffer.byteLength(body) > largestMessageBytes) {
        throw new DeliveryError({
          kind: 'content',
          code: 'content_too_long',
          detail: `With the card around it, the message is over ${largestMessageBytes} bytes.`,
        })
      }
      const url = urlNamed(call.secrets.urls, call.message.target)
      const answer = await exchange({ ...call, fetch: call.egress.fetch }, url, { method: 'POST', headers, body })
      if (answer.status < 200 || answer.status > 299) throw failure(answer)
      return { providerMessageId: answer.headers.get('x-ms-workflow-run-id'), response: `Teams answered ${answer.status}.` }
    },

    /** A workflow runs at every request, so there is nothing to ask without posting. */
    async check({ secrets, target }) {
      if (target === undefined) return []
      urlNamed(secrets.urls, target)
      return [
        {
          name: 'webhook',
          ok: true,
          code: 'not_tried',
          detail: 'The integration has a URL with this name. A workflow cannot be tried without posting.',
        },
      ]
    },
  })
}

/** Messages to Microsoft Teams, with the defaults of {@link createTeams}. */
export const teams = createTeams()

/** One block a line: line breaks within a block are shown differently from client to client. */
function bodyOf({ content }: OutgoingMessage): string {
  const body = content.text.split(/\r\n|\r|\n/).map((text) => ({ type: 'TextBlock', text, wrap: true, spacing: 'None' }))
  const card = { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', body }
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  })
}

function compose(message: OutgoingMessage): ComposedMessage {
  return {
    headers: [['Content-Type', headers['content-type']]],
    text: message.content.text,
    raw: bodyOf(message),
    envelope: { to: message.target },
  }
}

/** Codes of Azure Logic Apps, which workflows run on, for a workflow that is off or gone, and for a URL without its right signature. */
const goneCodes = /^(?:WorkflowTriggerIsNotEnabled|WorkflowTriggerNotFound|WorkflowNotFound|WorkflowDisabled|DirectApi\w*Authoriz\w*)$/

function failure(answer: HttpAnswer): DeliveryError {
  const error = answer.json.error as { code?: unknown } | undefined
  const code = typeof error?.code === 'string' ? error.code : `http_${answer.status}`
  const detail = `Teams answered ${answer.status}.`
  if (answer.status === 404 || answer.status === 410 || goneCodes.test(code)) {
    const words = `${detail} The workflow was deleted or disabled, or has another URL now.`
    return new DeliveryError({ kind: 'credential', code, detail: words, answer: spoken(answer) })
  }
  return statusFailure(answer, detail, code)
}
