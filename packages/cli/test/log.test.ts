import { describe, expect, it, vi } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
const flow = mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com', override_target: true })
const other = mock.seed.flow({ name: 'chat', source_type: 'slack', target: 'C024BE91L' })

const send = async (subject: string, fields: object = {}) => {
  // Advances the clock, so that no two notifications have the same time.
  await mock.clock.advance(1_000)
  return mock
    .client()
    .notifications.send({ project_id: project.id, subject, message: 'm', ...fields })
    .settled()
}

mock.faults.deliveriesTo('gone@example.com', { fail: 'bounce' })
const [plain, referenced, failed, chat] = [
  await send('Plain'),
  await send('Referenced', { reference: 'order-7' }),
  await send('Failed', { target: 'gone@example.com' }),
  await send('Chat', { project_id: other.project_id }),
]
const failure = failed?.deliveries[0]?.failure

const idsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id)

describe('flowpost log', () => {
  it('lists notifications, newest first', async () => {
    const { code, stdout } = await run(['log'])
    const lines = stdout.trim().split('\n')
    expect(code).toBe(0)
    expect(lines[0]).toMatch(/^CREATED +ID +STATUS +DELIVERIES +SUBJECT$/)
    expect(lines.slice(1).map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['Chat', 'Failed', 'Referenced', 'Plain'])
  })

  it.each([
    [['--status', 'failed'], [failed]],
    [['--reference', 'order-7'], [referenced]],
    [['--target', 'gone@example.com'], [failed]],
    [['--source-type', 'slack'], [chat]],
    [['--failure-kind', failure?.kind ?? ''], [failed]],
    [['--failure-code', failure?.code ?? ''], [failed]],
    [
      ['--project', 'billing'],
      [failed, referenced, plain],
    ],
    [['--project', 'billing', '--flow', 'ops-mail', '--limit', '1'], [failed]],
    [
      ['--flow', flow.id, '--status', 'sent'],
      [referenced, plain],
    ],
    [
      ['--since', '2h'],
      [chat, failed, referenced, plain],
    ],
    [['--until', '2h'], []],
    [
      ['--since', referenced?.created_at ?? '', '--until', chat?.created_at ?? ''],
      [failed, referenced],
    ],
  ])('filters with %j', async (filters, expected) => {
    const { code, stdout } = await run(['log', '--json', ...filters], { now: () => mock.clock.now() })
    expect([code, idsOf(stdout)]).toEqual([0, expected.map((notification) => notification?.id)])
  })

  it('says that nothing matches, and prints nothing to the standard output', async () => {
    const { code, stdout, stderr } = await run(['log', '--reference', 'none'])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('No notifications match.')
  })

  it('shows a notification in full with its attempts and failures', async () => {
    const { code, stdout } = await run(['log', failed?.id ?? ''])
    expect(code).toBe(0)
    expect(stdout).toContain('subject    Failed\n')
    expect(stdout).toMatch(/\nsmtp:gone@example\.com {2}failed\n {2}dlv_\w+, flow flw_\w+\n {2}attempt 1 .*failed in /)
    expect(stdout).toContain(`failure    ${failure?.kind} ${failure?.code}: `)
  })

  it('shows all deliveries of a large notification', async () => {
    const targets = Array.from({ length: 60 }, (_, index) => `user${index}@example.com`)
    mock.seed.flow({ project, name: 'copy', target: 'copy@example.com', override_target: true })
    const { id } = await send('Large', { target: targets.join(';') })
    const result = await run(['log', id, '--json'])
    expect(result.json().deliveries).toHaveLength(120)
  })

  it('removes escape sequences from text that the server sends', async () => {
    const { id } = await send('a\u009b31m red\u202e', { reference: '\u009b2J' })
    for (const args of [
      ['log', id],
      ['log', '--limit', '1'],
      ['log', id, '--json'],
    ]) {
      const { stdout } = await run(args, { isTerminal: true, env: { FORCE_COLOR: '0' } })
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    }
    expect((await run(['log', id, '--json'])).json().subject).toBe('a\u009b31m red\u202e')
  })

  it('follows new notifications until Ctrl-C', async () => {
    const controller = new AbortController()
    const onOutput = vi.fn()
    const options = { signal: controller.signal, now: () => mock.clock.now(), onOutput }
    const following = run(['log', '--follow', '--limit', '1', '--json'], options)
    await vi.waitFor(() => expect(onOutput).toHaveBeenCalled(), 30_000)
    const { id } = await send('New')
    await vi.waitFor(() => expect(onOutput).toHaveBeenCalledWith(expect.stringContaining(id)), 30_000)
    controller.abort()
    const { code, stdout } = await following
    expect(code).toBe(130)
    expect(idsOf(stdout)).toHaveLength(2)
    expect(idsOf(stdout).at(-1)).toBe(id)
  })

  it.each([
    [['log', 'ntf_1', '--status', 'failed'], 'An id cannot be combined with filters.'],
    [['log', '--flow', 'ops-mail'], 'With a key or name, --flow needs --project.'],
    [['log', '--status', 'lost'], 'Allowed choices are queued, sending'],
    [['log', '--limit', '0'], 'It must be a number from 1 to 999999.'],
    [['log', '--since', '2026-13-40'], 'It must be a duration, such as 2h or 7d, or a time'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await run(args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })
})

describe('flowpost watch', () => {
  it('succeeds for a notification that was sent', async () => {
    const { code, stdout } = await run(['watch', plain?.id ?? ''])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${plain?.id} is sent.`)])
  })

  it('exits with 1 for a notification that failed', async () => {
    expect((await run(['watch', failed?.id ?? ''])).code).toBe(1)
  })

  it('stops after the given time', async () => {
    const { id } = await mock.client().notifications.send({
      project_id: project.id,
      subject: 'Later',
      message: 'm',
      send_at: new Date(mock.clock.now() + 3_600_000).toISOString(),
    })
    const { code, stderr } = await run(['watch', id, '--for', '1ms'])
    expect(code).toBe(1)
    expect(stderr).toContain(`${id} is not completed yet.`)
  })
})

describe('flowpost retry and cancel', () => {
  it('queues the failed deliveries again', async () => {
    const { code, stdout } = await run(['retry', failed?.id ?? ''])
    expect([code, stdout]).toEqual([0, expect.stringContaining('deliveries 1 queued')])
  })

  it('rejects retrying a notification that was sent', async () => {
    const { code, stderr } = await run(['retry', plain?.id ?? ''])
    expect([code, stderr]).toEqual([1, expect.stringContaining('not_retryable')])
  })

  it('cancels pending deliveries', async () => {
    const send_at = new Date(mock.clock.now() + 3_600_000).toISOString()
    const { id } = await mock.client().notifications.send({ project_id: project.id, subject: 'Later', message: 'm', send_at })
    const result = await run(['cancel', id, '--json'])
    expect([result.code, result.json().status]).toEqual([0, 'canceled'])
  })
})
