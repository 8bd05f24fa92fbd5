import { describe, expect, test } from 'vitest'
import { decideCapture } from './capture-decision.ts'
import { explainPlan } from './explain-plan.ts'
import { type NotificationRequest, planNotification, rejectionOf, type TemplatedFlow } from './plan-notification.ts'
import { testChannels } from './test-flat-plan.ts'

interface Row extends TemplatedFlow {
  readonly row: number
}

const flow = (row: number, changes: Partial<Row> = {}): Row => ({
  row,
  active: true,
  source_type: 'smtp',
  target: `f${row}@example.com`,
  override_target: true,
  message_template: '{{subject}}: {{message}}',
  message_template_type: 'text/plain',
  ...changes,
})
const chat = (row: number, changes: Partial<Row> = {}) => flow(row, { source_type: 'slack', target: 'C024BE91L', ...changes })

const plan = (flows: readonly Row[], request: Partial<NotificationRequest> = {}) =>
  planNotification(
    flows,
    { subject: 'Disk', message: 'full', message_type: 'text/plain', ...request },
    { idOf: ({ row }) => `flw_${row}`, channelOf: (id) => testChannels.find((channel) => channel.id === id) },
  )
const accepted = (flows: readonly Row[], request: Partial<NotificationRequest> = {}) => {
  const planned = plan(flows, request)
  if (!planned.ok) throw new Error(planned.detail)
  return planned
}
const none: ReadonlySet<string> = new Set()

describe('a plan', () => {
  test('returns each matching flow with its id, message and targets', () => {
    const [first, second] = [flow(1), chat(2, { active: false })]
    expect(plan([first, second])).toEqual({
      ok: true,
      matched: [
        {
          flow: first,
          flowId: 'flw_1',
          content: { subject: 'Disk', text: 'Disk: full' },
          bytes: 14,
          targets: ['f1@example.com'],
          contentIssues: [],
        },
      ],
      skipped: [{ flow: second, flowId: 'flw_2', reason: 'inactive' }],
    })
  })

  test('keeps the targets of each flow together, in the order of the override', () => {
    const { matched, skipped } = accepted([flow(1), flow(2), chat(3)], { target: 'b@example.com;a@example.com' })
    expect(matched.map(({ flowId, targets }) => [flowId, targets])).toEqual([
      ['flw_1', ['b@example.com', 'a@example.com']],
      ['flw_2', ['b@example.com', 'a@example.com']],
    ])
    expect(skipped.map(({ flowId, reason }) => [flowId, reason])).toEqual([['flw_3', 'not_targeted']])
  })

  test('stops rendering above 1 MiB, however many flows there are', () => {
    const flows = (count: number, template: string) =>
      Array.from({ length: count }, (_, index) => flow(index, { message_template: template }))
    let asked = 0
    let rendered = 0
    const planned = planNotification(
      flows(1_000, '-{{message}}{{message}}'),
      { subject: 'Disk', message: 'x'.repeat(100_000), message_type: 'text/plain' },
      {
        idOf: ({ row }) => `flw_${row}`,
        channelOf: (id) => {
          asked += 1
          return testChannels.find((channel) => channel.id === id)
        },
      },
      (bytes) => {
        rendered += bytes
      },
    )
    // Rendering stops after six messages of 200 kB, which exceed 1 MiB. Before that, the channel of each flow is looked up three times.
    expect(asked).toBeLessThanOrEqual(3 * 1_000 + 6)
    expect(planned).toMatchObject({ ok: false, code: 'content_too_long', errors: [{ pointer: '/message' }] })
    expect(rendered).toBe(6 * 200_005)
    expect(plan(flows(12, '{{message}}'), { message: 'x'.repeat(99_000) })).toMatchObject({ code: 'content_too_long' })
    expect(plan(flows(10, '{{message}}'), { message: 'x'.repeat(99_000) })).toMatchObject({ ok: true })
  })

  test('reports the rendering cost, including converted markup', () => {
    const costOf = (row: Row, message: string) => {
      let cost = 0
      const deps = { idOf: () => 'flw_1', channelOf: (id: string) => testChannels.find((channel) => channel.id === id) }
      planNotification([row], { subject: 'Disk', message, message_type: 'text/html' }, deps, (bytes) => {
        cost = bytes
      })
      return cost
    }
    expect(costOf(flow(1), 'full')).toBe(4 + 10)
    // The message is only markup, so the rendered text is `Disk: ` (6 bytes). The subject has 4 bytes, and each tag costs 16.
    expect(costOf(flow(1), '<b>'.repeat(1_000))).toBe(4 + 6 + 16 * 1_000)
    expect(costOf(flow(1, { message_template: '<p>{{subject}}', message_template_type: 'text/html' }), '')).toBe(4 + 7 + 4 + 16)
  })

  test('rejects a stored template with too many placeholders, and names its flow', () => {
    const template = (count: number) => '{{message}}'.repeat(count)
    expect(plan([flow(1, { message_template: template(32) })])).toMatchObject({ ok: true })
    expect(plan([flow(1), flow(2, { message_template: template(9_000) })])).toMatchObject({
      ok: false,
      code: 'content_too_long',
      errors: [{ pointer: '/message', message: 'For flow flw_2: The template has 9000 placeholders; at most 32 are allowed. Use fewer.' }],
    })
    expect(plan([flow(1), flow(2, { message_template: template(33), active: false })])).toMatchObject({ ok: true })
  })

  test('rejects more than 30,000 tags and character references, and counts those in the message only once', () => {
    const html = (count: number) => ({ message_template: `{{message}}${'<p>'.repeat(count)}`, message_template_type: 'text/html' as const })
    const request = { message: '&amp;'.repeat(10_000), message_type: 'text/html' as const }
    expect(plan([flow(1, html(10_000)), flow(2, html(10_000))], request)).toMatchObject({ ok: true })
    expect(plan([flow(1, html(10_000)), flow(2, html(10_001))], request)).toMatchObject({
      ok: false,
      code: 'content_too_long',
      errors: [{ message: expect.stringContaining('30000 tags') as string }],
    })
    // A chat shows a template's markup unchanged, so nothing is converted.
    expect(plan([chat(1, html(10_000)), flow(2, html(20_000))], request)).toMatchObject({ ok: true })
  })

  test('rejects more than 32 MiB in total for all deliveries', () => {
    const target = Array.from({ length: 64 }, (_, index) => `a${index}@example.com`).join(';')
    const template = { message_template: '{{message}}' }
    // With the four bytes of the subject, each of the 64 messages takes 512 KiB.
    const message = 'x'.repeat(524_284)
    expect(plan([flow(1, template)], { target, message })).toMatchObject({ ok: true })
    expect(plan([flow(1, template)], { target, message: `${message}x` })).toMatchObject({
      ok: false,
      code: 'content_too_long',
      detail: 'The rendered messages of all deliveries together exceed the limit of 33554432 bytes.',
      errors: [],
    })
    const withChat = plan([flow(1, template), chat(2, template)], { target: `${target};C024BE91L`, message: `${message}x` })
    expect(withChat).toMatchObject({ code: 'content_too_long', errors: [{ message: expect.stringContaining('flow flw_2') as string }] })
  })
  test("is rejected with the API's problem codes", () => {
    expect(plan([flow(1, { override_target: false })], { target: 'a@example.com' })).toMatchObject({
      ok: false,
      code: 'override_not_allowed',
      errors: [{ message: expect.stringContaining('flw_1') as string }],
    })
    expect(plan([flow(1, { active: false })], { flow_id: 'flw_1' })).toMatchObject({ ok: false, code: 'flow_inactive' })
  })
})

describe('rejectionOf', () => {
  test('returns undefined with credentials and a short message', () => {
    expect(rejectionOf(accepted([flow(1), chat(2)]), none)).toBeUndefined()
  })

  test('rejects missing credentials first, and names up to ten flows', () => {
    const flows = Array.from({ length: 11 }, (_, index) => chat(index, { message_template: 'x'.repeat(40_001) }))
    const rejection = rejectionOf(accepted(flows), new Set(['slack']))
    expect(rejection).toMatchObject({ code: 'integration_missing', errors: [] })
    expect(rejection?.detail).toContain('flw_9 (slack).')
    expect(rejection?.detail).not.toContain('flw_10')
    expect(rejectionOf(accepted([flow(1)]), new Set(['slack']))).toBeUndefined()
  })

  test("rejects a message that exceeds a provider's limit, with one error per flow", () => {
    const rejection = rejectionOf(accepted([flow(1), chat(2), chat(3)], { message: 'x'.repeat(40_001) }), none)
    expect(rejection).toMatchObject({ code: 'content_too_long', errors: [{ pointer: '/message' }, { pointer: '/message' }] })
    expect(rejection?.errors[1]?.message).toMatch(/^For flow flw_3: The rendered message has 40,007 characters/)
  })
})

describe('explainPlan', () => {
  test('returns matched and skipped flows ordered by id, with the problems that block sending', () => {
    const planned = accepted([chat(3, { message_template: 'x'.repeat(40_001) }), flow(1), flow(2, { active: false })])
    expect(
      explainPlan(planned, { captured: new Set(['smtp']), missing: new Set(['slack']) }, (_, target) => target === 'f1@example.com'),
    ).toEqual([
      {
        flow_id: 'flw_1',
        source_type: 'smtp',
        outcome: 'matched',
        reason: null,
        targets: ['f1@example.com'],
        suppressed: ['f1@example.com'],
        captured: true,
        content: { subject: 'Disk', text: 'Disk: full', html: null, bytes: 14 },
        faults: [],
      },
      {
        flow_id: 'flw_2',
        source_type: 'smtp',
        outcome: 'skipped',
        reason: 'inactive',
        targets: [],
        suppressed: [],
        captured: false,
        content: null,
        faults: [],
      },
      expect.objectContaining({
        flow_id: 'flw_3',
        captured: false,
        faults: [
          { code: 'content_too_long', message: expect.stringContaining('40,001 characters') as string },
          { code: 'integration_missing', message: 'No credentials are configured for slack.' },
        ],
      }),
    ])
  })
})

describe('decideCapture', () => {
  const types = ['smtp', 'slack', 'smtp']
  const hasCredential = (sourceType: string) => sourceType === 'smtp'

  test.each([
    ['on', ['smtp', 'slack'], []],
    ['missing', ['slack'], []],
    ['off', [], ['slack']],
  ] as const)('in the mode %s captures %j, and reports that %j have no credential', (mode, captured, missing) => {
    expect(decideCapture(mode, types, hasCredential)).toEqual({ captured: new Set(captured), missing: new Set(missing) })
  })
})
