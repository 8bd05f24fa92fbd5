import type { Flowpost } from '@flowpost/client'
import { expect, it } from 'vitest'
import type { Io } from '../io.ts'
import { createOutput } from '../output/output.ts'
import { followNotification } from './follow-notification.ts'

it('prints an attempt only when it has ended', async () => {
  const attempt = { id: 'att_1', number: 1, started_at: '2026-11-23T08:00:00Z', provider_response: null }
  const delivery = {
    id: 'dlv_1',
    source_type: 'smtp',
    target: 'ops@example.com',
    next_attempt_at: null,
    provider_message_id: null,
    failure: null,
  }
  const notificationWith = (status: string, fields: object) => ({
    ...{ id: 'ntf_1', status, subject: 's', project_id: 'prj_1', created_at: '2026-11-23T08:00:00Z', metadata: {} },
    ...{ expires_at: null, reference: null, deliveries: [{ ...delivery, status, attempts: [{ ...attempt, ...fields }] }] },
  })
  const responses = [
    notificationWith('sending', { duration_ms: null, outcome: 'sending' }),
    notificationWith('sent', { duration_ms: 5, outcome: 'sent' }),
  ]
  const events: Record<string, unknown>[] = []
  const stdout = { write: (line: string) => events.push(JSON.parse(line)) }
  await followNotification({
    flowpost: { notifications: { get: async () => responses.shift() } } as unknown as Flowpost,
    id: 'ntf_1',
    output: createOutput({ stdout, stderr: { write: () => {} }, env: {} } as unknown as Io, true),
    signal: new AbortController().signal,
    now: () => 0,
    maxMs: undefined,
  })
  expect(events.map(({ event }) => event)).toEqual(['delivery', 'attempt', 'delivery', 'completed'])
  expect(events[1]).toMatchObject({ delivery_id: 'dlv_1', attempt: { outcome: 'sent', duration_ms: 5 } })
})
