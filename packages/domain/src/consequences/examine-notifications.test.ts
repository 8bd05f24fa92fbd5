import { describe, expect, test } from 'vitest'
import { type Channel, slackDescription, smtpDescription } from '../index.ts'
import { type Consequences, type Examination, examineNotifications } from './examine-notifications.ts'
import type { DatedFlow, StoredNotification } from './recover-request.ts'

const channels: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  ['smtp', smtpDescription],
  ['slack', slackDescription],
])

const ops: DatedFlow = {
  id: 'ops',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  createdAtMs: 1,
  updatedAtMs: 1,
}
const chat: DatedFlow = { ...ops, id: 'chat', source_type: 'slack', target: 'C024BE91L' }
const named: DatedFlow = { ...ops, id: 'named', target: 'named@example.com' }

const sent = (number: number, over: Partial<StoredNotification> = {}): StoredNotification => ({
  id: `ntf_${number}`,
  createdAtMs: 1_000 - number,
  subject: 'S',
  address: { hasTarget: false },
  deliveries: [{ flowId: 'ops', sourceType: 'smtp', target: 'ops@example.com', content: { subject: 'S', text: 'M' } }],
  ...over,
})
const three = [sent(1), sent(2), sent(3)]

const examine = (
  pages: Iterable<readonly StoredNotification[]>,
  after: Examination['after'],
  over: Partial<Examination> = {},
): Promise<Consequences> =>
  examineNotifications(pages, {
    before: [ops],
    after,
    channelOf: (sourceType) => channels.get(sourceType),
    maxNotifications: 100,
    maxMs: 2_000,
    now: () => 0,
    yieldTurn: () => Promise.resolve(),
    ...over,
  })

const nobody = { notifications: 0, notification_id: null }
const unchanged = {
  examined: 3,
  not_examined: 0,
  sinceMs: 997,
  complete: true,
  deliveries: [],
  rejected: [],
  without_flow: nobody,
  changed_messages: nobody,
  changed_targets: nobody,
}
const all = { notifications: 3, notification_id: 'ntf_1' }

describe('the consequences of new settings', () => {
  test('are empty for the same settings', async () => {
    expect(await examine([three], [ops])).toEqual(unchanged)
  })

  test('count added and removed deliveries by provider', async () => {
    expect(await examine([three], [ops, chat])).toEqual({ ...unchanged, deliveries: [{ source_type: 'slack', before: 0, after: 3 }] })
    expect(await examine([three], [{ ...ops, ...chat, id: 'ops' }])).toEqual({
      ...unchanged,
      deliveries: [
        { source_type: 'slack', before: 0, after: 3 },
        { source_type: 'smtp', before: 3, after: 0 },
      ],
      changed_targets: all,
    })
  })

  test('count rejections by code, and name the newest notification', async () => {
    const long = { ...chat, message_template: `{{message}}${'x'.repeat(50_000)}` }
    expect(await examine([three], [ops, long])).toEqual({
      ...unchanged,
      deliveries: [{ source_type: 'smtp', before: 3, after: 0 }],
      rejected: [{ code: 'content_too_long', ...all }],
    })
  })

  test('count changed messages and targets', async () => {
    expect(await examine([three], [{ ...ops, message_template: 'New: {{message}}' }])).toEqual({ ...unchanged, changed_messages: all })
    expect(await examine([three], [{ ...ops, target: 'new@example.com' }])).toEqual({ ...unchanged, changed_targets: all })
  })

  test('count notifications that would reach no flow', async () => {
    const lost = { ...unchanged, deliveries: [{ source_type: 'smtp', before: 3, after: 0 }], without_flow: all }
    expect(await examine([three], [])).toEqual(lost)
    expect(await examine([three], [{ ...ops, active: false }])).toEqual(lost)
    const toNamed = sent(1, {
      address: { flowId: 'named', hasTarget: false },
      deliveries: [{ flowId: 'named', sourceType: 'smtp', target: named.target, content: { subject: 'S', text: 'M' } }],
    })
    const result = await examine([[toNamed]], [ops], { before: [ops, named] })
    expect(result.without_flow).toEqual({ notifications: 1, notification_id: 'ntf_1' })
  })

  test('count a notification without a stored message as not examined', async () => {
    expect(await examine([[sent(1), sent(2, { subject: null })]], [])).toMatchObject({ examined: 1, not_examined: 1, sinceMs: 998 })
  })
})

describe('an examination', () => {
  test('stops after maxNotifications, without reading another page', async () => {
    const pages = function* () {
      yield three
      throw new Error('Another page was read.')
    }
    expect(await examine(pages(), [ops], { maxNotifications: 2 })).toMatchObject({ examined: 2, sinceMs: 998, complete: false })
  })

  test('stops after maxMs, without reading another page', async () => {
    let time = 0
    const yieldTurn = async () => {
      time += 1_000
    }
    const pages = function* () {
      yield three
      throw new Error('Another page was read.')
    }
    expect(await examine(pages(), [ops], { now: () => time, yieldTurn })).toMatchObject({ examined: 2, complete: false })
  })

  test('stops after maxMs, even if that time ends with the last notification of a page', async () => {
    let time = 0
    const yieldTurn = async () => {
      time += 1_000
    }
    const pages = function* () {
      yield [sent(1)]
      yield [sent(2)]
      throw new Error('Another page was read.')
    }
    expect(await examine(pages(), [ops], { now: () => time, yieldTurn })).toMatchObject({ examined: 2, complete: false })
  })

  test('lets other work run after each notification', async () => {
    let turns = 0
    const yieldTurn = async () => {
      turns += 1
    }
    await examine([three], [ops], { yieldTurn })
    expect(turns).toBe(3)
  })

  test('is complete if nothing was sent', async () => {
    expect(await examine([], [])).toEqual({ ...unchanged, examined: 0, sinceMs: null })
  })
})
