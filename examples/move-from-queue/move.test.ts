import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFlowpostMock } from '@flowpost/testing'
import { expect, it, vi } from 'vitest'
import type { Job } from './hand-over.ts'
import { relay } from './relay.ts'
import { type Route, runJob } from './run-job.ts'

const createJob = (id: string, recipient = 'ada@example.com'): Job => ({
  id,
  kind: 'invoice-ready',
  recipient,
  subject: `Invoice ${id}`,
  text: 'It is ready.',
  invoiceId: `invoice-${id}`,
})

const setUp = () => {
  const mock = createFlowpostMock()
  const project = mock.seed.project({ key: 'billing', name: 'Billing' })
  mock.seed.flow({ project, key: 'mail', target: 'ops@example.com', override_target: true })
  const sendOld = vi.fn(async (_job: Job) => {})
  const tester = mock.client({ apiKey: mock.seed.apiKey({ mode: 'test' }) })
  const senders = { sendOld, tester, flowpost: mock.client(), project: 'billing' }
  const run = (job: Job, route: Route) => runJob(job, route, senders)
  return { mock, sendOld, run, flowpost: senders.flowpost }
}

const createOutbox = (jobs: readonly Job[]) => {
  const rows = [...jobs]
  const rejected: string[] = []
  const remove = async (job: Job) => void rows.splice(rows.indexOf(job), 1)
  const reject = async (job: Job, code: string) => {
    rejected.push(`${job.id}: ${code}`)
    await remove(job)
  }
  return { rows, rejected, read: async (limit: number) => rows.slice(0, limit), remove, reject }
}

it('sends each job in exactly one way', async () => {
  const { mock, sendOld, run } = setUp()
  await run(createJob('1'), 'old')
  await run(createJob('2'), 'compare')
  await run(createJob('3'), 'flowpost')
  await mock.clock.advance(60_000)
  expect(sendOld.mock.calls.map(([{ id }]) => id)).toEqual(['1', '2'])
  expect(mock.outbox.map(({ subject, captured }) => [subject, captured])).toEqual([
    ['Invoice 2', true],
    ['Invoice 3', false],
  ])
})

it('does not repeat a message of the old code when the comparison fails', async () => {
  const { mock, sendOld, run } = setUp()
  const log = vi.spyOn(console, 'error').mockReturnValue()
  mock.faults.next('notifications.send', { status: 422, code: 'content_too_long' })
  await run(createJob('1'), 'compare')
  expect(sendOld).toHaveBeenCalledTimes(1)
  expect(log).toHaveBeenCalledWith('Comparison failed.', '1', expect.anything())
})

it('relays each row once when the response is lost and the relay stops halfway', async () => {
  const { mock, flowpost } = setUp()
  const outbox = createOutbox([createJob('1'), createJob('2'), createJob('3', 'nobody')])
  mock.faults.next('notifications.send', 'commitThenDrop')
  const remove = vi.spyOn(outbox, 'remove').mockRejectedValueOnce(new Error('The database is unavailable.'))
  await expect(relay(outbox, flowpost, 'billing')).rejects.toThrow('The database is unavailable.')
  await relay(outbox, flowpost, 'billing')
  await mock.clock.advance(60_000)
  expect(mock.outbox.map(({ subject, target }) => [subject, target])).toEqual([
    ['Invoice 1', 'ada@example.com'],
    ['Invoice 2', 'ada@example.com'],
  ])
  expect([outbox.rows, outbox.rejected]).toEqual([[], ['3: validation_failed']])
  expect(remove).toHaveBeenCalled()
})

it.each([
  [createJob('1', 'nobody'), 'validation_failed'],
  [{ ...createJob('1'), text: 'x'.repeat(1_100_000) }, 'body_too_large'],
  [createJob('ä'), 'malformed_header'],
  [createJob('1'.repeat(250)), 'malformed_header'],
  [createJob('\u{1f600}'), 'invalid_argument'],
])('sets aside a row that can never be sent, and relays the next row: %#', async (invalid, code) => {
  const { flowpost } = setUp()
  const outbox = createOutbox([invalid, createJob('next')])
  await relay(outbox, flowpost, 'billing')
  expect([outbox.rows, outbox.rejected]).toEqual([[], [`${invalid.id}: ${code}`]])
})

it('stops the relay, without losing a row, when the flow allows no other target', async () => {
  const mock = createFlowpostMock()
  const project = mock.seed.project({ key: 'billing', name: 'Billing' })
  mock.seed.flow({ project, key: 'mail', target: 'ops@example.com' })
  const outbox = createOutbox([createJob('1')])
  await expect(relay(outbox, mock.client(), 'billing')).rejects.toMatchObject({ code: 'override_not_allowed' })
  expect([outbox.rows.length, outbox.rejected]).toEqual([1, []])
})

it('stops the relay, without losing a row, when the key was revoked', async () => {
  const { mock } = setUp()
  const outbox = createOutbox([createJob('1')])
  await expect(relay(outbox, mock.client({ apiKey: 'fp_revoked' }), 'billing')).rejects.toMatchObject({ status: 401 })
  expect([outbox.rows.length, outbox.rejected]).toEqual([1, []])
})

it('the guide contains the code of this example', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
  const page = read('../../docs/guides/move-from-queue.md')
  const blocks = [...page.matchAll(/<!-- examples\/move-from-queue\/(\S+) -->\n```ts\n([\s\S]*?)^```$/gm)]
  expect(blocks.map(([, name]) => name)).toEqual(['hand-over.ts', 'run-job.ts', 'relay.ts'])
  for (const [, name = '', code] of blocks) expect(read(name)).toContain(code)
})
