import { builtInDescriptions, type ProviderDescription } from '@flowpost/domain'
import type { MockOptions } from '../../mock.ts'
import type { Operation } from '../../public-types.ts'
import { createPlainHttp, type OperationRequest, type PlainResponse } from '../http.ts'
import { farFutureMs } from '../samples.ts'
import type { ConformanceTarget } from '../target.ts'

/** An error for a server or an API key that is not suitable for a comparison with the mock. */
export class UnsuitableTarget extends Error {
  override readonly name = 'UnsuitableTarget'
}

/** The deployment settings that affect responses. */
export interface Deployment {
  /** The options for a mock with the same settings. */
  readonly mockOptions: MockOptions
  /** Whether all messages are captured or rejected, so that no message leaves the deployment. */
  readonly isSilent: boolean
  /** The operations to omit from a comparison, because a mock with `mockOptions` may respond differently to them. */
  readonly omittedOperations: readonly Operation[]
}

/** A valid target for each built-in provider. */
const targets: Readonly<Record<string, string>> = {
  mailgun: 'conformance@example.com',
  smtp: 'conformance@example.com',
  slack: 'C024BE91L',
  discord: 'ops',
  teams: 'ops',
  webhook: 'ops',
}

const mailgun = { settings: { domain: 'mail.example.com', from: 'conformance@example.com' }, secrets: { api_key: 'conformance' } }

interface PreviewedFlow {
  readonly source_type: string
  readonly captured: boolean
  readonly faults: readonly { readonly code: string }[]
}

/**
 * Determines a deployment's settings with the help of a temporary project. Delivers no message.
 *
 * @throws {UnsuitableTarget} If the API key is rejected, is bound to a project, or belongs to a user with projects. Also
 * thrown if the deployment does not store message content, has providers that the mock does not support, or rejects a
 * request that is needed to determine its settings (for example, because the key lacks a scope).
 */
export const readDeployment = async (target: ConformanceTarget): Promise<Deployment> => {
  const http = createPlainHttp(target)
  const call = async (operation: Operation, request: OperationRequest): Promise<PlainResponse> => {
    const response = await http.call(operation, request)
    if (response.status < 400) return response
    const { code, detail } = response.json
    if (code === 'unauthenticated') throw new UnsuitableTarget(`The server rejects the API key. ${detail}`)
    if (code === 'scope_missing')
      throw new UnsuitableTarget(`The API key must have all scopes and must not be bound to a project. ${operation}: ${detail}`)
    throw new UnsuitableTarget(`${operation} returned ${response.status} ${code}: ${detail}`)
  }

  if ((await call('projects.list', {})).json.data.length > 0)
    throw new UnsuitableTarget(
      "The API key's user has projects. Use the key of a user without projects, because the comparison lists all projects.",
    )
  const served = (await call('providers.list', { query: { limit: '1000' } })).json.data.map(
    ({ source_type }: { source_type: string }) => source_type,
  ) as string[]
  const unknown = served.filter((id) => targets[id] === undefined)
  if (unknown.length > 0) throw new UnsuitableTarget(`The deployment has providers that the mock does not support: ${unknown.join(', ')}.`)
  const providers = served.flatMap((id) => builtInDescriptions.find((description) => description.id === id) ?? []) as ProviderDescription[]

  const name = `model ${crypto.randomUUID()}`
  const { id: project_id } = (await call('projects.create', { json: { name } })).json
  try {
    for (const source_type of served)
      await call('flows.create', { params: { project_id }, json: { name, source_type, target: targets[source_type] } })
    const preview = async (): Promise<readonly PreviewedFlow[]> =>
      (await call('notifications.preview', { json: { project_id, subject: 'a', message: 'b' } })).json.flows
    const withoutOwn = await preview()
    const stored = await http.call('integrations.put', { params: { project_id, source_type: 'mailgun' }, json: mailgun })
    const withOwn = await preview()
    await requireContentLog(call, project_id, withOwn)

    const credentials = withoutOwn.filter(({ captured, faults }) => !captured && faults.length === 0).map(({ source_type }) => source_type)
    const capturesOwn = withOwn.some(({ source_type, captured }) => source_type === 'mailgun' && captured)
    const isCapturing = withoutOwn.some(({ captured }) => captured)
    const capture = capturesOwn && stored.status === 200 ? 'on' : isCapturing ? 'missing' : 'off'
    // If the server has credentials, its `flows.check` calls the provider, and the mock cannot predict the result. `credentials`
    // omits providers whose messages are captured. So if `capture` is `on`, `credentials` is empty, but the server may have
    // credentials.
    const checksDiffer = capture === 'on' || credentials.length > 0
    return {
      mockOptions: { providers, credentials, capture },
      isSilent: credentials.length === 0,
      omittedOperations: [
        ...(checksDiffer ? (['flows.check'] as const) : []),
        // The status 409 means that the server rejects secrets, because it has no encryption key.
        ...(stored.status === 409 ? (['integrations.put'] as const) : []),
      ],
    }
  } finally {
    await http.raw('DELETE', `/v1/settings/projects/${project_id}`)
  }
}

/**
 * Schedules a message and verifies that its subject is stored. The message is canceled when the temporary project is
 * deleted. Does nothing if the project has no flow or the preview shows a problem with a flow, because the server would then
 * reject the message.
 *
 * @throws {UnsuitableTarget} If the subject is not stored.
 */
const requireContentLog = async (
  call: (operation: Operation, request: OperationRequest) => Promise<PlainResponse>,
  project_id: string,
  flows: readonly PreviewedFlow[],
): Promise<void> => {
  if (flows.length === 0 || flows.some(({ faults }) => faults.length > 0)) return
  const send_at = new Date(Date.now() + farFutureMs).toISOString()
  const { json } = await call('notifications.send', { json: { project_id, subject: 'a', message: 'b', send_at } })
  if (json.subject === null) throw new UnsuitableTarget('The deployment must store message content (FLOWPOST_LOG_CONTENT=on).')
}
