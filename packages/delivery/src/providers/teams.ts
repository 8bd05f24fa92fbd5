import { describeTeams, serializeTeamsCard } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { createStatusError, formatResponse, type HttpResponse } from '../network/http.ts'
import { sendThroughEgress } from '../network/send-through-egress.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { getNamedUrl, needsOnlyStatus } from './named-urls.ts'

/** The options with which a deployment configures the provider `teams`. */
export interface TeamsOptions {
  /** Returns whether a URL belongs to a Teams workflow. @default accepts HTTPS URLs on Power Automate's hosts */
  readonly isWorkflowUrl?: (url: URL) => boolean
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

/**
 * Creates the provider `teams`, which posts messages to a channel or chat in Microsoft Teams through a Power Automate
 * workflow. The workflow must be created from the template "Post to a channel when a webhook request is received". A target
 * is the name of a stored workflow URL. Each message is sent as an Adaptive Card, because workflows accept nothing else.
 * Source: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function createTeams({ isWorkflowUrl }: TeamsOptions = {}) {
  return defineProvider({
    ...describeTeams(isWorkflowUrl),
    placeholderSettings: {},
    // Each target is a workflow. Workflows can fail independently, and those in different regions have different hosts.
    failureScope: 'target',
    compose,

    async send(context) {
      const body = serializeTeamsCard(context.message.content.text)
      const url = getNamedUrl(context.secrets.urls, context.message.target)
      const response = await sendThroughEgress(context, url, { method: 'POST', headers, body }, needsOnlyStatus)
      if (response.status < 200 || response.status > 299) throw createError(response)
      return { providerMessageId: response.headers.get('x-ms-workflow-run-id'), response: `Teams returned ${response.status}.` }
    },

    /**
     * Checks only that `target` is the name of one of the credential's URLs. Sends no request, because every request to a
     * workflow posts a message.
     */
    async check({ secrets, target }) {
      if (target === undefined) return []
      getNamedUrl(secrets.urls, target)
      const detail = 'The integration has a URL for this target. The workflow was not tested, because that would post a message.'
      return [{ name: 'webhook', ok: true, code: 'not_tried', detail }]
    },
  })
}

/** The provider `teams` with default options. */
export const teams = createTeams()

function compose(message: OutgoingMessage): ComposedMessage {
  return {
    headers: [['Content-Type', headers['content-type']]],
    text: message.content.text,
    raw: serializeTeamsCard(message.content.text),
    envelope: { to: message.target },
  }
}

/**
 * Matches the error codes for a disabled workflow, a deleted workflow and a wrong URL signature. They come from Azure Logic
 * Apps, which runs the workflows.
 */
const invalidWorkflowCodes =
  /^(?:WorkflowTriggerIsNotEnabled|WorkflowTriggerNotFound|WorkflowNotFound|WorkflowDisabled|DirectApi\w*Authoriz\w*)$/

function createError(response: HttpResponse): DeliveryError {
  const error = response.json.error as { code?: unknown } | undefined
  const code = typeof error?.code === 'string' ? error.code : `http_${response.status}`
  const detail = `Teams returned ${response.status}.`
  if (response.status === 404 || response.status === 410 || invalidWorkflowCodes.test(code)) {
    return new DeliveryError({
      kind: 'credential',
      code,
      detail: `${detail} The workflow was deleted or disabled, or its URL changed.`,
      providerResponse: formatResponse(response),
    })
  }
  return createStatusError(response, detail, code)
}
