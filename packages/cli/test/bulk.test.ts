import { beforeEach, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const client = mock.client()
let project = mock.seed.project({ name: 'unused' })
let since = ''

const send = (fields: object = {}) => client.notifications.send({ project_id: project.id, subject: 's', message: 'm', ...fields })
const statusOf = async (id: string) => (await client.notifications.get(id)).status
const runAll = (args: readonly string[], options = {}) => run([...args, '--since', since, '--project', project.id], options)

beforeEach(async () => {
  mock.faults.clear()
  await mock.clock.advance(1_000)
  since = new Date(mock.clock.now()).toISOString()
  project = mock.seed.project()
  mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com', override_target: true })
})

const sendFailedTo = async (target: string, fields: object = {}) => {
  mock.faults.deliveriesTo(target, { fail: 'bounce' })
  const failed = await send(fields).settled()
  mock.faults.clear()
  return failed
}
const sendFailed = () => sendFailedTo('gone@example.com', { target: 'gone@example.com' })

describe('flowpost retry with filters', () => {
  it('shows what matches, asks for confirmation, and retries', async () => {
    const failed = await sendFailed()
    await send().settled()
    const canceled = await runAll(['retry'], { answers: [false] })
    expect([canceled.code, canceled.stderr]).toEqual([1, expect.stringContaining('Nothing was retried.')])
    expect(await statusOf(failed.id)).toBe('failed')
    const { code, stdout } = await runAll(['retry'], { answers: [true] })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^DELIVERIES +STATUS +FAILURE\n1 +failed +5\.1\.1\n1 delivery matches\.\n\w+ is done: 1 delivery retried, 0 skipped\.\n$/,
    )
    expect(await statusOf(failed.id)).not.toBe('failed')
  })

  it.each([
    [['--status', 'ambiguous'], 0],
    [['--status', 'failed', '--flow', 'ops-mail', '--source-type', 'smtp'], 1],
    [['--failure-code', 'none'], 0],
    [['--failure-kind', 'expired'], 0],
  ])('counts only the deliveries that match %j with --dry-run', async (filters, matched) => {
    const failed = await sendFailed()
    const result = await runAll(['retry', '--dry-run', '--json', ...filters], { now: () => mock.clock.now() })
    expect([result.code, result.json()]).toEqual([0, { preview: expect.objectContaining({ matched }), action: null }])
    expect(await statusOf(failed.id)).toBe('failed')
  })

  it('counts only notifications accepted before --until', async () => {
    await sendFailed()
    await mock.clock.advance(1_000)
    const until = new Date(mock.clock.now()).toISOString()
    await sendFailed()
    expect((await runAll(['retry', '--dry-run', '--json'])).json().preview.matched).toBe(2)
    expect((await runAll(['retry', '--dry-run', '--json', '--until', until])).json().preview.matched).toBe(1)
  })

  it('accepts the keys of a project and a flow', async () => {
    project = mock.seed.project({ key: 'invoices', name: 'Invoices of the shop' })
    mock.seed.flow({ project, key: 'chat', name: 'Chat of sales', target: 'chat@example.com' })
    const failed = await sendFailedTo('chat@example.com')
    const args = ['--since', since, '--project', 'invoices', '--flow', 'chat']
    expect(await run(['retry', ...args, '--yes'])).toMatchObject({ code: 0, stdout: expect.stringContaining('1 delivery retried') })
    expect(await statusOf(failed.id)).not.toBe('failed')
    expect((await run(['retry', ...args, '--flow', 'other', '--dry-run'])).stderr).toContain('The project has no flow other.')
  })

  it('spreads the deliveries', async () => {
    await sendFailed()
    const result = await runAll(['retry', '--yes', '--json', '--spread', '10m'], { stdin: '' })
    expect(result.json()).toMatchObject({
      preview: { matched: 1 },
      action: { action: 'retry', status: 'done', done: 1, spread_seconds: 600 },
    })
  })

  it('does nothing if nothing matches', async () => {
    expect(await runAll(['retry', '--yes'])).toMatchObject({ code: 0, stdout: '0 deliveries match.\n' })
  })

  it.each([
    [['retry'], 'Name a notification by its id, or select deliveries with --since'],
    [['retry', 'ntf_x', '--since', '2h'], 'cannot be combined with a notification id'],
    [['retry', '--since', '2h', '--json'], 'Pass --yes, or pass --dry-run to only count the deliveries'],
    [['retry', '--since', '2h', '--status', 'queued'], 'Allowed choices are failed, ambiguous.'],
  ])('rejects %j', async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })
})

describe('flowpost cancel with filters', () => {
  it('cancels pending deliveries', async () => {
    const later = await send({ send_at: new Date(mock.clock.now() + 3_600_000).toISOString() })
    const { code, stdout } = await runAll(['cancel', '--status', 'queued', '--yes'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 delivery canceled, 0 skipped.')])
    expect(await statusOf(later.id)).toBe('canceled')
  })
  describe('when the action takes several steps', async () => {
    // With this limit, each step changes one delivery.
    const small = await startCliServer({ queueLimit: 4 })
    const sendLater = async () => {
      const { project_id } = small.mock.seed.flow({ project: small.mock.seed.project() })
      const send_at = new Date(small.mock.clock.now() + 3_600_000).toISOString()
      for (const subject of ['first', 'second'])
        await small.mock.client().notifications.send({ project_id, subject, message: 'm', send_at })
      return ['cancel', '--yes', '--since', '2000-01-01', '--project', project_id]
    }

    it('follows the action to its end', async () => {
      const result = await small.run([...(await sendLater()), '--json'])
      expect([result.code, result.json()]).toMatchObject([0, { preview: { matched: 2 }, action: { status: 'done', done: 2 } }])
    })

    it('says that the action continues if the command cannot follow it', async () => {
      const FLOWPOST_API_KEY = small.mock.seed.apiKey({ scopes: ['notifications:send', 'settings:read'] })
      const { code, stderr } = await small.run(await sendLater(), { env: { FLOWPOST_API_KEY } })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/Warning: The action \w+ continues on the server\.[\s\S]+scope_missing/)])
    })
  })
})
