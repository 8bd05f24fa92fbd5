import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home, server } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
const flow = mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com', override_target: true })

const to = ['--project', 'billing', '--subject', 'Invoice 42']

describe('flowpost send', () => {
  it('sends a message to a project that is given by name', async () => {
    const { code, stdout, stderr } = await run(['send', 'It is ready.', ...to, '--flow', 'ops-mail', '--reference', 'r-1', '-m', 'a=b=c'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ntf_\w+ {2}queued\nsubject {4}Invoice 42\n/)
    expect(stdout).toContain('metadata   a=b=c\ndeliveries 1 queued\n')
    expect(stderr).toContain(server.url)
    expect(mock.outbox.at(-1)).toMatchObject({ text: 'It is ready.', target: 'ops@example.com' })
  })

  it('finds a name that is given in another Unicode form and with spaces', async () => {
    const cafe = mock.seed.flow({ project: mock.seed.project({ name: 'Caf\u00e9' }) })
    const { code, stdout } = await run(['preview', 'Hi', '--subject', 'S', '--project', ' Cafe\u0301 '])
    expect([code, stdout]).toEqual([0, expect.stringContaining(cafe.id)])
  })

  it('does not print the key', async () => {
    const { stdout, stderr } = await run(['send', 'It is ready.', ...to])
    expect(stdout + stderr).not.toContain(mock.apiKey)
  })

  it.each([
    ['the standard input', ['-'], 'From a pipe.\n', 'From a pipe.'],
    ['the standard input without an argument', [], 'Two\nlines\n', 'Two\nlines'],
    ['a file', ['--file', 'message.txt'], undefined, 'From a file.'],
  ])('reads the message from %s', async (_, args, stdin, text) => {
    writeFileSync(join(home, 'message.txt'), 'From a file.')
    const { code } = await run(['send', ...args, ...to], stdin === undefined ? {} : { stdin })
    expect([code, mock.outbox.at(-1)?.text]).toEqual([0, text])
  })

  it('removes the byte order mark of a file', async () => {
    writeFileSync(join(home, 'bom.txt'), '\ufeffFrom an editor.')
    const { code } = await run(['send', '--file', 'bom.txt', ...to])
    expect([code, mock.outbox.at(-1)?.text]).toEqual([0, 'From an editor.'])
  })

  it('sends nothing if a file is not valid UTF-8', async () => {
    writeFileSync(join(home, 'latin-1.txt'), Buffer.from('Café', 'latin1'))
    const sent = mock.outbox.length
    const { code, stderr } = await run(['send', '--file', 'latin-1.txt', ...to])
    expect([code, stderr]).toEqual([1, expect.stringContaining('The file latin-1.txt is not valid UTF-8.')])
    expect(mock.outbox).toHaveLength(sent)
  })

  it('sends to an overriding target and prints the notification as JSON', async () => {
    const result = await run(['send', 'Hi', ...to, '--target', 'ada@example.com', '--json'])
    expect(result.json()).toMatchObject({ project_id: project.id, deliveries: [{ target: 'ada@example.com', flow_id: flow.id }] })
    expect(result.stderr).toBe('')
  })

  it('schedules a message and lets it expire', async () => {
    const now = () => Date.parse(mock.seed.project().created_at)
    const result = await run(['send', 'Later', ...to, '--at', '2h', '--expires', '3h', '--json'], { now })
    expect(result.json()).toMatchObject({ status: 'queued', expires_at: expect.stringMatching(/Z$/) })
  })

  it('follows the notification with --wait, and succeeds when it is sent', async () => {
    const { code, stdout } = await run(['send', 'It is ready.', ...to, '--wait'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/smtp:ops@example.com {2}attempt 1 .* sent in /)
    expect(stdout).toMatch(/ntf_\w+ is sent\.\n$/)
  })

  it('shows every attempt and exits with 1 when the message fails', async () => {
    mock.faults.deliveriesTo('down@example.com', { fail: 'outage', times: 1 })
    mock.faults.deliveriesTo('down@example.com', { fail: 'bounce' })
    const { code, stdout } = await run(['send', 'Hi', ...to, '--target', 'down@example.com', '--wait', '--json'])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(events.at(-1)).toMatchObject({ event: 'completed', notification: { status: 'failed' } })
    expect(events.some(({ event }) => event === 'attempt')).toBe(true)
  })

  it('sends once for the same idempotency key', async () => {
    const args = ['send', 'Once', ...to, '--idempotency-key', 'invoice-42', '--json']
    const first = (await run(args)).json()
    expect((await run(args)).json().id).toBe(first.id)
  })

  it('says how to repeat a send whose response was lost', async () => {
    mock.faults.next('notifications.send', 'commitThenDrop', { times: 100 })
    const { code, stderr } = await run(['send', 'Hi', ...to, '--idempotency-key', 'lost-1', '--timeout', '300ms'])
    mock.faults.clear()
    expect(code).toBe(1)
    expect(stderr).toContain('add: --idempotency-key lost-1')
  })

  it.each([
    ['rate_limited', { status: 429, retryAfter: 60 }],
    ['unavailable', { status: 503, code: 'unavailable', retryAfter: 60 }],
    ['idempotency_in_progress', { status: 409, code: 'idempotency_in_progress', retryAfter: 60 }],
  ] as const)('says how to repeat a send whose response was lost and whose retry failed with %s', async (code, fault) => {
    mock.faults.next('notifications.send', 'commitThenDrop')
    mock.faults.next('notifications.send', fault)
    const { stderr } = await run(['send', 'Hi', ...to, '--idempotency-key', 'lost-2', '--timeout', '5s'])
    expect(stderr).toContain(`${code} (${fault.status})`)
    expect(stderr).toContain('add: --idempotency-key lost-2')
  })

  it('says how to repeat a send whose idempotency key is in use by another process', async () => {
    mock.faults.next('notifications.send', { status: 409, code: 'idempotency_in_progress', retryAfter: 60 })
    const { stderr } = await run(['send', 'Hi', ...to, '--idempotency-key', 'busy-1', '--timeout', '5s'])
    expect(stderr).toContain('add: --idempotency-key busy-1')
  })

  it.each([{ status: 429, retryAfter: 60 }, { status: 422 }])('prints no key if every attempt was rejected with %j', async (fault) => {
    mock.faults.next('notifications.send', fault)
    const { code, stderr } = await run(['send', 'Hi', ...to, '--timeout', '5s'])
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('--idempotency-key')])
  })

  describe('with a key that may only send', () => {
    const keyed = mock.seed.project({ key: 'shop-1', name: 'Shop' })
    const keyedFlow = mock.seed.flow({ project: keyed, key: 'alerts', name: 'Shop alerts', target: 'shop@example.com' })
    const env = { FLOWPOST_API_KEY: mock.seed.apiKey({ scopes: ['notifications:send'] }) }

    it.each([
      ['shop-1', 'alerts'],
      [keyed.id, 'alerts'],
      ['shop-1', keyedFlow.id],
    ])('accepts the project %s and the flow %s', async (given, of) => {
      const args = ['Hi', '--subject', 'S', '--project', given, '--flow', of]
      expect(await run(['send', ...args], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining('1 queued') })
      expect(await run(['preview', ...args], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining('shop@example.com') })
    })

    it('says that the message was accepted if it cannot be followed with --wait', async () => {
      const { code, stderr } = await run(['send', 'Hi', '--subject', 'S', '--project', 'shop-1', '--wait'], { env })
      expect(code).toBe(1)
      expect(stderr).toMatch(/The message was accepted as ntf_\w+, but its status could not be read\./)
      expect(stderr).toContain('notifications:read')
    })

    it.each([
      [[], 'project', '--project billing'],
      [['--project', 'The shop'], 'project', '--project billing'],
      [['--project', 'shop-1', '--flow', 'Shop alerts'], 'flow', '--flow ops-mail'],
    ])('asks for a key instead of a name: %j', async (args, kind, example) => {
      const { code, stderr } = await run(['send', 'Hi', '--subject', 'S', ...args], { env })
      expect(code).toBe(1)
      expect(stderr).toContain(`The API key lacks the scope settings:read, so the command cannot look up the ${kind}.`)
      expect(stderr).toContain(`Pass the key of the ${kind}, such as ${example}, or its id.`)
    })
  })

  it.each([
    [['send', 'Hi', '--project', 'billing'], 'There is no subject.'],
    [['send', ...to], 'There is no message.'],
    [['send', 'Hi', ...to, '--file', 'x'], 'cannot be combined'],
    [['send', ...to, '--file', 'missing.txt'], 'The file missing.txt cannot be read'],
    [['send', 'Hi', '--subject', 'S', '--project', 'other'], 'There is no project other.\nProjects:\n'],
    [['send', 'Hi', '--subject', 'S'], 'There are several projects.'],
    [['send', 'Hi', ...to, '--flow', 'none'], 'The project has no flow none.'],
    [['send', 'Hi', ...to, '--at', 'tomorrow'], "argument 'tomorrow' is invalid. It must be a duration"],
    [['send', 'Hi', ...to, '-m', '=a'], 'It must have the form key=value.'],
    [['send', 'Hi', ...to, '-m', 'a'], 'It must have the form key=value.'],
  ])('rejects %j', async (args, message) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })

  it('rejects a name or key that two flows or two projects share', async () => {
    const [first, second] = [undefined, 'sales'].map((key) => mock.seed.flow({ project, key, name: key ?? 'sales', active: false }))
    const flows = await run(['send', 'Hi', ...to, '--flow', 'sales'])
    expect([flows.code, flows.stderr]).toEqual([1, expect.stringContaining('Several flows have the key or name sales. Use an id.')])
    expect(flows.stderr).toContain(`\n  ${first?.id}  sales\n  ${second?.id}  sales  sales`)
    mock.seed.project({ name: 'shop' })
    mock.seed.project({ key: 'shop', name: 'another' })
    const projects = await run(['send', 'Hi', '--subject', 'S', '--project', 'shop'])
    expect([projects.code, projects.stderr]).toEqual([1, expect.stringContaining('Several projects have the key or name shop.')])
  })

  it("shows the server's validation errors and a summary for a support ticket", async () => {
    const { code, stderr } = await run(['send', 'Hi', '--project', 'billing', '--subject', ''])
    expect(code).toBe(1)
    expect(stderr).toMatch(/body \/subject: .+\n/)
    expect(stderr).toMatch(/FlowpostError in notifications\.send\ncode {6}validation_failed \(422\)/)
  })

  it('prints an error as JSON with --json', async () => {
    const { stderr } = await run(['send', 'Hi', '--project', 'prj_01jd3k8x5rf2vbq9m7w4t6y0ae', '--subject', 'S', '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found', status: 404, request_id: expect.any(String) } })
  })
})

describe('flowpost preview', () => {
  it('shows the rendered message of each flow without sending it', async () => {
    const sent = mock.outbox.length
    const { code, stdout } = await run(['preview', 'Line 1\nLine 2', ...to, '--flow', 'ops-mail'])
    expect(code).toBe(0)
    expect(stdout).toBe(`${flow.id}  smtp  matched\n  to       ops@example.com\n  subject  Invoice 42\n  | Line 1\n  | Line 2\n`)
    expect(mock.outbox).toHaveLength(sent)
  })

  it('prints JSON', async () => {
    const result = await run(['preview', 'Hi', ...to, '--json'])
    expect(result.json().flows[0]).toMatchObject({ flow_id: flow.id, outcome: 'matched' })
  })
})
