import { createTeams, type Provider } from '@flowpost/delivery'
import { type LocalServer, startLocalServer } from './local-server.ts'

/** A server that implements the trigger of a Power Automate workflow. */
export interface TeamsServer extends LocalServer {
  readonly provider: Provider
  readonly workflowUrl: string
  /** The bodies of the accepted requests. */
  readonly accepted: readonly object[]
}

const path = '/powerautomate/automations/direct/workflows/643e69f83c894443/triggers/manual/paths/invoke'
const signature = 'KODuebWbDGYFr0z0eu-6Rj8aUKz7108W3wrNJZxFE5A'

/** The schema of the trigger "When a Teams webhook request is received". */
const isCardMessage = (body: unknown): body is { attachments: readonly { contentType: string; content: { type: string } }[] } => {
  const { type, attachments } = body as { type?: unknown; attachments?: { contentType?: unknown; content?: { type?: unknown } }[] }
  return (
    type === 'message' &&
    Array.isArray(attachments) &&
    attachments.every(
      ({ contentType, content }) => contentType === 'application/vnd.microsoft.card.adaptive' && content?.type === 'AdaptiveCard',
    )
  )
}

/** Starts the server. It responds like Azure Logic Apps, which runs the workflows. */
export const startTeamsServer = async (): Promise<TeamsServer> => {
  const accepted: object[] = []
  const reject = (status: number, code: string) => ({ status, body: { error: { code, message: `The request failed with ${code}.` } } })
  const server = await startLocalServer(({ method, path: given, body }) => {
    const { pathname, searchParams } = new URL(given, 'http://localhost')
    if (method !== 'POST' || pathname !== path) return reject(404, 'WorkflowNotFound')
    if (searchParams.get('sig') !== signature) return reject(401, 'DirectApiAuthorizationRequired')
    const message: unknown = JSON.parse(body)
    if (!isCardMessage(message)) return reject(400, 'TriggerInputSchemaMismatch')
    accepted.push(message)
    return { status: 202, headers: { 'x-ms-workflow-run-id': `0858468842${accepted.length}` } }
  })
  const query = new URLSearchParams({ 'api-version': '2022-03-01-preview', sp: '/triggers/manual/run', sv: '1.0', sig: signature })
  return {
    ...server,
    provider: createTeams({ isWorkflowUrl: ({ origin }) => origin === server.url }),
    workflowUrl: `${server.url}${path}?${query}`,
    accepted,
  }
}
