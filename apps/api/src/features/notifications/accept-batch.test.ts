import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Principal } from '../../auth/principal.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { ApiError, rejected, unavailable } from '../../shared/api-error.ts'
import { type BatchDeps, createBatchAcceptance } from './accept-batch.ts'

const deps = {
  clock: { now: () => new Date() },
  channels: { get: () => undefined, ids: [] },
  idempotency: { findAll: async () => new Map() },
} as unknown as BatchDeps
const rejection = { code: 'no_active_flows', detail: 'The project has no active flows.', errors: [] } as const

it('rejects a batch without an accepted item as unavailable, with the longest Retry-After of its items', async () => {
  const errors = [unavailable('First.', { retryAfterSeconds: 1 }), unavailable('Second.', { retryAfterSeconds: 60 }), rejected(rejection)]
  const accept = createBatchAcceptance(deps, async () => Promise.reject(errors.shift()))
  const item = { project_id: 'prj_1', subject: 'a', message: 'b' }
  const batch = accept({
    context: { requestId: 'r', log: pino({ level: 'silent' }) } as RequestContext,
    principal: { userId: 'alice' } as Principal,
    items: [item, item, item],
    key: undefined,
    chargeItem: async () => {},
    onRendered: () => {},
  })
  await expect(batch).rejects.toMatchObject({ code: 'unavailable', message: 'First.', headers: { 'Retry-After': '60' } })
})

it('gives a notification the outcome of an earlier one with the same key that was above the rate limit', async () => {
  const accepted: string[] = []
  const accept = createBatchAcceptance(deps, async ({ body }) => {
    accepted.push(body.subject)
    return { status: 202, body: {} as never }
  })
  const limits = [new ApiError('rate_limited', 'Try again.'), undefined]
  const { results } = await accept({
    context: { requestId: 'r', log: pino({ level: 'silent' }) } as RequestContext,
    principal: { userId: 'alice' } as Principal,
    items: ['a', 'b', 'b'].map((subject) => ({ project_id: 'prj_1', subject, message: 'm', idempotency_key: subject })),
    key: undefined,
    chargeItem: async () => {
      const limited = limits.shift()
      if (limited) throw limited
    },
    onRendered: () => {},
  })
  expect(results.map(({ status }) => status)).toEqual([202, 429, 429])
  expect(accepted).toEqual(['a'])
})
