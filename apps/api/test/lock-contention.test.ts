import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { fromId } from '../src/shared/ids.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Runs a statement in a transaction that stays open until `end` is called. */
const holdTransaction = async (server: TestServer, statement: string, values: readonly unknown[]) => {
  const client = new Client({ connectionString: server.database.url })
  await client.connect()
  await client.query('begin')
  await client.query(statement, [...values])
  let ended: Promise<void> | undefined
  const end = () => (ended ??= client.query('commit').then(() => client.end()))
  const blocked = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
  return {
    end,
    countBlocked: async () => (await client.query(blocked)).rowCount,
    [Symbol.asyncDispose]: end,
  }
}

const lockProject = (server: TestServer, projectId: string) =>
  holdTransaction(server, 'select 1 from projects where id = $1 for update', [fromId('project', projectId)])

const post = (server: TestServer, projectId: string) =>
  server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 's', message: 'm' } })

// The embedded database runs one transaction at a time.
const onPostgres = it.runIf(inject('postgres'))

onPostgres('a locked project does not delay messages to other projects', async () => {
  await using server = await startTestServer()
  const [locked, unlocked] = [await createFlow(server), await createFlow(server)]
  await using lock = await lockProject(server, locked.project.id)
  let endedCount = 0
  const pending = Array.from({ length: 30 }, () => post(server, locked.project.id).finally(() => (endedCount += 1)))
  const accepted = await Promise.all(Array.from({ length: 5 }, () => post(server, unlocked.project.id)))
  expect(endedCount).toBe(0)
  await lock.end()
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set((await Promise.all(pending)).map(({ status }) => status))).toEqual(new Set([202]))
})

onPostgres('returns 503 for a message to a project that stays locked', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server)
  await using _lock = await lockProject(server, project.id)
  const { status, headers, json } = await post(server, project.id)
  expect([status, headers.get('retry-after'), json.code]).toEqual([503, '1', 'unavailable'])
  expect(json.detail).toBe("The project's settings are being changed. Try again.")
})

onPostgres('a locked notification does not delay the outcomes of other notifications', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_ROLE: 'api' } })
  const { project } = await createFlow(server)
  const locked = await send(server, project.id)
  const unlocked = await send(server, project.id)
  // The first attempt at a notification also locks the notification, unless its status is already `sending`.
  await using attempt = await holdTransaction(server, `update notifications set status = 'sending' where id = $1`, [
    fromId('notification', locked.id),
  ])
  await attempt.end()
  await using lock = await holdTransaction(server, 'select 1 from notifications where id = $1 for update', [
    fromId('notification', locked.id),
  ])
  const worker = await server.restart({ env: { FLOWPOST_ROLE: 'worker' } })
  await using _stopWorker = { [Symbol.asyncDispose]: () => worker.stop() }
  expect((await readCompleted(server, unlocked.id)).status).toBe('sent')
  const { json } = await server.request('GET', `/v1/notifications/${locked.id}`)
  expect(json.status).toBe('sending')
  await lock.end()
  expect((await readCompleted(server, locked.id)).status).toBe('sent')
})

onPostgres('a retry waits for the deletion of its flow, and then returns not_retryable', async () => {
  await using smtp = await startSmtpSink({ reply: () => ({ code: 550, text: 'No.' }) })
  const env = { FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com' }
  await using server = await startTestServer({ env })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id)
  expect((await readCompleted(server, id)).status).toBe('failed')
  await using deletion = await holdTransaction(
    server,
    'with locked as (select id from projects where id = $1 for update) delete from flows where project_id in (select id from locked)',
    [fromId('project', project.id)],
  )
  const retry = server.request('POST', `/v1/notifications/${id}/retry`)
  await expect.poll(deletion.countBlocked).toBe(1)
  await deletion.end()
  expect((await retry).json.code).toBe('not_retryable')
})
