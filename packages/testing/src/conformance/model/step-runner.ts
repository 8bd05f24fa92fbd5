import type { Operation } from '../../public-types.ts'
import { createPlainHttp, type OperationRequest, type PlainResponse, routeOf } from '../http.ts'
import { farFutureMs, unknownId } from '../samples.ts'
import { createNormalizer } from './normalize.ts'
import type { Json, ModelTarget, Step } from './sequence.ts'
import { createSequenceState, type SequenceState } from './sequence-state.ts'

/** Runs a sequence on one server. */
export interface StepRunner {
  /** Runs a step and returns the values to compare: its response, and the completed notification after a send. */
  run(step: Step): Promise<unknown[]>
  /** Deletes the resources of the sequence. */
  close(): Promise<void>
}

const pick = <T>(list: readonly T[], number: number | undefined): T | undefined =>
  number === undefined || list.length === 0 ? undefined : list[number % list.length]

const fill = (value: Json, placeholders: ReadonlyMap<string, string>): Json => {
  if (typeof value === 'string') return placeholders.get(value) ?? value
  if (Array.isArray(value)) return value.map((inner) => fill(inner, placeholders))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, placeholders)]))
}

const operationsToFollow: readonly Operation[] = ['notifications.send', 'notifications.retry']

/**
 * Creates a step runner.
 *
 * @param sequence.run A unique prefix for the names and idempotency keys of this sequence.
 * @param sequence.startedAt The start time of the sequence, the same for both servers.
 */
export const createStepRunner = (target: ModelTarget, sequence: { readonly run: string; readonly startedAt: number }): StepRunner => {
  const { run } = sequence
  const later = new Date(sequence.startedAt + farFutureMs).toISOString()
  const http = createPlainHttp(target)
  const normalizer = createNormalizer()
  const state: SequenceState = createSequenceState()

  const requestOf = (step: Step): OperationRequest => {
    const project = pick(state.projects, step.project) ?? unknownId('project')
    const flow = pick(state.flows, step.flow)
    const params = {
      // A flow is requested in its own project, unless the step selects another one.
      project_id: step.project === undefined && flow ? flow.project_id : project,
      flow_id: flow?.id ?? unknownId('flow'),
      notification_id: pick(state.notifications, step.notification) ?? unknownId('notification'),
      key_id: pick(state.keys, step.apiKey)?.id ?? unknownId('apiKey'),
      source_type: step.source_type ?? 'mailgun',
    }
    const placeholders = new Map([
      ['$project', project],
      ['$flow', params.flow_id],
      ['$later', later],
      ...Array.from({ length: 4 }, (_, index) => [`$name${index}`, `model ${run} ${index}`] as const),
    ])
    const path = routeOf(step.operation).route.path
    const resource = path.replace(/:([a-z_]+)/g, (_, name: keyof typeof params) => params[name])
    const cursor = step.cursor === 'last' ? state.cursors.get(step.operation) : step.cursor
    return {
      params,
      key:
        pick(
          state.keys.filter((key) => key.isAlive),
          step.as,
        )?.token ?? target.apiKey,
      query: Object.fromEntries(
        Object.entries({ ...step.query, ...(cursor === undefined ? {} : { cursor }) }).map(([name, value]) => [
          name,
          placeholders.get(value) ?? value,
        ]),
      ),
      ...(step.body === undefined ? {} : { json: fill(step.body, placeholders) }),
      headers: {
        ...(step.idempotencyKey === undefined ? {} : { 'idempotency-key': `${run}-${step.idempotencyKey}` }),
        ...state.tagHeaders(resource, step),
      },
    }
  }

  const waitForCompletion = async (id: string): Promise<unknown> =>
    normalizer.normalize(await http.call('notifications.get', { params: { notification_id: id }, query: { wait: '30' } }))

  return {
    run: async (step) => {
      await target.tick()
      const request = requestOf(step)
      const answer: PlainResponse = await http.call(step.operation, request)
      state.record(step, request, answer)
      const results = [normalizer.normalize(state.omitForeignKeys(step, answer))]
      // Waits for the completion of a message, so that the next step sees the same state on both servers.
      const isNow = answer.status === 202 && step.body?.['send_at'] === undefined
      if (operationsToFollow.includes(step.operation) && isNow) results.push(await waitForCompletion(answer.json.id))
      return results
    },
    close: async () => {
      for (const project_id of state.projects) await http.call('projects.delete', { params: { project_id } })
      for (const { id } of state.keys) await http.call('apiKeys.delete', { params: { key_id: id } })
    },
  }
}
