import { builtInDescriptions, planDeliveries } from '@flowpost/domain'
import { expect } from 'vitest'
import { addFlow, createFlow, flowPath } from '../support/resources.ts'
import type { TestServer } from '../support/test-server.ts'

/** The fields of a flow that determine the effect of a notification. */
interface EditedFlow {
  readonly id: string
  readonly project_id: string
  readonly key: string | null
  readonly name: string
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
}

/** The effect of a notification on a flow. */
interface Effect {
  readonly flow_id: string
  readonly key: string | null
  readonly name: string
  readonly source_type: string
  readonly outcome: string
  readonly reason: string | null
}

const channels = new Map(builtInDescriptions.map((channel) => [channel.id, channel]))

/** Returns a function that returns pseudorandom whole numbers from 0 to `limit - 1` (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const targets = { smtp: 'ops@example.com', mailgun: 'alerts@example.com', slack: 'C024BE91L' } as const
const sourceTypes = Object.keys(targets) as (keyof typeof targets)[]
const overrides = [
  'x@example.com',
  'smtp:x@example.com;slack:C11111111',
  'mailgun:y@example.com',
  'C22222222',
  'slack:C3;smtp:z@example.com',
]

/** The sent notifications, with the effects that they must have had. */
export interface EditedHistory {
  readonly sent: readonly { readonly id: string; readonly request: object; readonly effects: readonly Effect[] }[]
  readonly rejected: number
}

/** Returns the effects that planning determines for a request; `undefined` if the request must be rejected. */
const effectsOf = (flows: readonly EditedFlow[], flowId: string | undefined, target: string | undefined): Effect[] | undefined => {
  const candidates = flowId === undefined ? flows : flows.filter(({ id }) => id === flowId)
  const plan = planDeliveries({
    flows: candidates,
    named: flowId !== undefined,
    override: target,
    idOf: ({ id }) => id,
    channelOf: (sourceType) => channels.get(sourceType),
  })
  if (!plan.ok) return undefined
  const reasons = new Map<string, string | null>(plan.skipped.map((flow) => [flow.flowId, flow.reason]))
  for (const { flowId: id } of plan.routed) reasons.set(id, null)
  return [...flows]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, key, name, source_type }) => {
      const reason = reasons.has(id) ? (reasons.get(id) ?? null) : 'not_named'
      return { flow_id: id, key, name, source_type, outcome: reason === null ? 'triggered' : 'skipped', reason }
    })
}

/**
 * Sends notifications to a project, and edits its flows in between.
 * @param count the number of notifications that must be accepted.
 */
export const sendBetweenEdits = async (server: TestServer, { count, seed }: { count: number; seed: number }): Promise<EditedHistory> => {
  const next = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T
  const { project, flow } = await createFlow(server, { override_target: true })
  const flows: EditedFlow[] = [flow]
  let named = 0

  const fieldsOf = () => {
    const source_type = pick(sourceTypes)
    return { active: next(3) > 0, source_type, target: targets[source_type], override_target: next(4) > 0 }
  }
  const edit = async (): Promise<void> => {
    const index = next(flows.length)
    const edited = flows[index]
    const kind = next(6)
    named += 1
    if (kind === 0 && flows.length < 8) flows.push(await addFlow(server, project.id, { ...fieldsOf(), name: `Flow ${named}` }))
    else if (!edited) return
    else if (kind === 1 && flows.length > 2) {
      expect((await server.request('DELETE', flowPath(edited))).status).toBe(204)
      flows.splice(index, 1)
    } else if (kind === 2) {
      const json = { ...fieldsOf(), name: `Flow ${named}`, message_template: '{{message}}', message_template_type: 'text/plain' }
      flows[index] = (await server.request('PUT', flowPath(edited), { json })).json
    } else if (kind === 3) flows[index] = (await server.request('PATCH', flowPath(edited), { json: { key: `key-${named}` } })).json
    else flows[index] = (await server.request('PATCH', flowPath(edited), { json: fieldsOf() })).json
  }

  const sent: { id: string; request: object; effects: Effect[] }[] = []
  let rejected = 0
  while (sent.length < count) {
    for (let edits = next(3); edits > 0; edits -= 1) await edit()
    const to = next(3) === 0 ? pick(flows) : undefined
    const target = next(2) === 0 ? pick(overrides) : undefined
    const address = { ...(to && (to.key !== null && next(2) === 0 ? { flow: to.key } : { flow_id: to.id })), ...(target && { target }) }
    const json = { project_id: project.id, ...address, subject: 'S', message: 'M' }
    const effects = effectsOf(flows, to?.id, target)
    const isBatch = next(4) === 0
    const { status, json: answer } = isBatch
      ? await server.request('POST', '/v1/notifications/batch', { json: { notifications: [json] } })
      : await server.request('POST', '/v1/notifications', { json })
    const accepted = isBatch ? answer.results[0].notification : answer
    expect([isBatch ? answer.results[0].status : status, address]).toEqual([
      effects ? 202 : expect.toSatisfy((code) => code >= 400),
      address,
    ])
    if (!effects) rejected += 1
    else sent.push({ id: accepted.id, request: { flow_id: to?.id ?? null, has_target: target !== undefined }, effects })
  }
  return { sent, rejected }
}

const readExplanation = (server: TestServer, id: string) => server.request('GET', `/v1/notifications/${id}/explanation`)

/** Expects each notification's explanation to match what happened. */
export const expectExplained = async (server: TestServer, { sent }: EditedHistory): Promise<void> => {
  for (const { id, request, effects } of sent) {
    const { json, status } = await readExplanation(server, id)
    const notification = { notification_id: id, accepted_at: expect.stringMatching(/Z$/) }
    expect([status, json]).toEqual([200, { ...notification, request, flows: effects, unknown: null }])
  }
}

/**
 * Sends notifications to two flows while other requests change one of the flows. Expects each explanation to say `triggered`
 * for the flows that have a delivery, and for no others.
 */
export const expectExplainedDuringEdits = async (server: TestServer, { rounds }: { rounds: number }): Promise<void> => {
  const { project, flow } = await createFlow(server)
  const edited = await addFlow(server, project.id)
  for (let round = 0; round < rounds; round += 1) {
    const json = { project_id: project.id, subject: 'S', message: 'M' }
    const edit = { active: round % 2 === 1, target: `${round}@example.com` }
    const responses = await Promise.all([
      server.request('POST', '/v1/notifications', { json }),
      server.request('PATCH', flowPath(edited), { json: edit }),
      server.request('POST', '/v1/notifications', { json }),
      server.request('POST', '/v1/notifications', { json }),
    ])
    for (const { status, json: sent } of responses.filter(({ json: body }) => body.id.startsWith('ntf_'))) {
      expect(status).toBe(202)
      const { json: explanation } = await readExplanation(server, sent.id)
      const triggered = explanation.flows.filter(({ outcome }: Effect) => outcome === 'triggered').map(({ flow_id }: Effect) => flow_id)
      const delivered = sent.deliveries.map(({ flow_id }: Effect) => flow_id)
      expect([explanation.unknown, triggered]).toEqual([null, delivered.sort()])
      expect(explanation.flows.map(({ flow_id }: Effect) => flow_id)).toEqual([flow.id, edited.id])
    }
  }
}
