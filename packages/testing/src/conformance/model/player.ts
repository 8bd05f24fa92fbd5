import type { Operation } from '../../named-types.ts'
import { createPlainHttp, type HttpAnswer, type OperationRequest, routeOf } from '../http.ts'
import { farAheadMs, unknownId } from '../samples.ts'
import { createMemory, type Memory } from './memory.ts'
import { createNormalizer } from './normalize.ts'
import type { Json, Step } from './step.ts'
import type { ModelTarget } from './target.ts'

/** Plays a sequence on one server. */
export interface Player {
  /** Makes the request of a step and gives what is to be compared: its answer, and what comes of it. */
  play(step: Step): Promise<unknown[]>
  /** Removes what the sequence made. */
  close(): Promise<void>
}

const pick = <T>(list: readonly T[], number: number | undefined): T | undefined =>
  number === undefined || list.length === 0 ? undefined : list[number % list.length]

const fill = (value: Json, words: ReadonlyMap<string, string>): Json => {
  if (typeof value === 'string') return words.get(value) ?? value
  if (Array.isArray(value)) return value.map((inner) => fill(inner, words))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, words)]))
}

const waitsForDelivery: readonly Operation[] = ['notifications.send', 'notifications.retry']

/**
 * Makes a player.
 * @param sequence.run Sets the names and idempotency keys of this sequence apart from those of others.
 * @param sequence.startedAt When the sequence was begun, the same on both servers.
 */
export const createPlayer = (target: ModelTarget, sequence: { readonly run: string; readonly startedAt: number }): Player => {
  const { run } = sequence
  const later = new Date(sequence.startedAt + farAheadMs).toISOString()
  const http = createPlainHttp(target)
  const normalizer = createNormalizer()
  const memory: Memory = createMemory()

  const requestOf = (step: Step): OperationRequest => {
    const project = pick(memory.projects, step.project) ?? unknownId('project')
    const flow = pick(memory.flows, step.flow)
    const params = {
      // A flow is looked for in its own project, unless the step names another one.
      project_id: step.project === undefined && flow ? flow.project_id : project,
      flow_id: flow?.id ?? unknownId('flow'),
      notification_id: pick(memory.notifications, step.notification) ?? unknownId('notification'),
      key_id: pick(memory.keys, step.apiKey)?.id ?? unknownId('apiKey'),
      source_type: step.source_type ?? 'mailgun',
    }
    const words = new Map([
      ['$project', project],
      ['$flow', params.flow_id],
      ['$later', later],
      ...Array.from({ length: 4 }, (_, index) => [`$name${index}`, `model ${run} ${index}`] as const),
    ])
    const path = routeOf(step.operation).route.path
    const resource = path.replace(/:([a-z_]+)/g, (_, name: keyof typeof params) => params[name])
    const cursor = step.cursor === 'last' ? memory.cursors.get(step.operation) : step.cursor
    return {
      params,
      key:
        pick(
          memory.keys.filter((each) => each.isAlive),
          step.as,
        )?.token ?? target.apiKey,
      query: Object.fromEntries(
        Object.entries({ ...step.query, ...(cursor === undefined ? {} : { cursor }) }).map(([name, value]) => [
          name,
          words.get(value) ?? value,
        ]),
      ),
      ...(step.body === undefined ? {} : { json: fill(step.body, words) }),
      headers: {
        ...(step.idempotencyKey === undefined ? {} : { 'idempotency-key': `${run}-${step.idempotencyKey}` }),
        ...memory.tagHeaders(resource, step),
      },
    }
  }

  const settle = async (id: string): Promise<unknown> =>
    normalizer.answer(await http.call('notifications.get', { params: { notification_id: id }, query: { wait: '30' } }))

  return {
    play: async (step) => {
      await target.tick()
      const request = requestOf(step)
      const answer: HttpAnswer = await http.call(step.operation, request)
      memory.learn(step, request, answer)
      const seen = [normalizer.answer(memory.ownOnly(step, answer))]
      // What is sent now is followed to its end, so that the next step finds the same state everywhere.
      const isNow = answer.status === 202 && step.body?.['send_at'] === undefined
      if (waitsForDelivery.includes(step.operation) && isNow) seen.push(await settle(answer.json.id))
      return seen
    },
    close: async () => {
      for (const project_id of memory.projects) await http.call('projects.delete', { params: { project_id } })
      for (const { id } of memory.keys) await http.call('apiKeys.delete', { params: { key_id: id } })
    },
  }
}
