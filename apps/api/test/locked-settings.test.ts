import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { fromId } from '../src/shared/ids.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** A transaction of another process that has run a statement and not ended. */
const holdTransaction = async (server: TestServer, statement: string, values: readonly unknown[]) => {
  const client = new Client({ connectionString: server.database.url })
  await client.connect()
  await client.query('begin')
  await client.query(statement, [...values])
  let ended: Promise<void> | undefined
  const end = () => (ended ??= client.query('commit').then(() => client.end()))
  return { end, [Symbol.asyncDispose]: end }
}

const lockProject = (server: TestServer, projectId: string) =>
  holdTransaction(server, 'select 1 from projects where id = $1 for update', [fromId('project', projectId)])

const post = (server: TestServer, projectId: string) =>
  server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 's', message: 'm' } })

// One process of the embedded database runs one transaction at a time.
const onPostgres = it.runIf(inject('postgres'))

onPostgres('messages to a project that is being deleted do not delay those to others', async () => {
  await using server = await startTestServer()
  const [locked, other] = [await createFlow(server), await createFlow(server)]
  await using lock = await lockProject(server, locked.project.id)
  let ended = 0
  const waiting = Array.from({ length: 30 }, () => post(server, locked.project.id).finally(() => (ended += 1)))
  for (let count = 0; count < 5; count += 1) expect((await post(server, other.project.id)).status).toBe(202)
  expect(ended).toBe(0)
  await lock.end()
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([202]))
})

onPostgres('a message to a project that stays locked is rejected as unavailable', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server)
  await using _lock = await lockProject(server, project.id)
  const { status, headers, json } = await post(server, project.id)
  expect([status, headers.get('retry-after'), json.code]).toEqual([503, '1', 'unavailable'])
  expect(json.detail).toBe('The settings of the project are being changed. Try again.')
})

onPostgres('an outcome whose notification is locked does not delay those of others', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server)
  const dueAt = new Date(Date.now() + 800).toISOString()
  const locked = await send(server, project.id, { send_at: dueAt })
  const other = await send(server, project.id, { send_at: dueAt })
  // The first attempt of a notification takes a lock too, so it is past that.
  await using attempt = await holdTransaction(server, `update notifications set status = 'sending' where id = $1`, [
    fromId('notification', locked.id),
  ])
  await attempt.end()
  await using lock = await holdTransaction(server, 'select 1 from notifications where id = $1 for update', [
    fromId('notification', locked.id),
  ])
  expect((await readCompleted(server, other.id)).status).toBe('sent')
  const { json } = await server.request('GET', `/v1/notifications/${locked.id}`)
  expect(json.status).toBe('sending')
  await lock.end()
  expect((await readCompleted(server, locked.id)).status).toBe('sent')
})

onPostgres('a retry waits while a flow is being deleted, and then has nothing to retry', async () => {
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
  await Promise.race([retry, sleep(200)])
  await deletion.end()
  expect((await retry).json.code).toBe('not_retryable')
})
