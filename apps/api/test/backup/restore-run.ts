import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { backupProgram } from '../../src/cli/backup.ts'
import type { CommandProgram } from '../../src/cli/command-line.ts'
import { restoreProgram } from '../../src/cli/restore.ts'
import { onDatabase } from '../support/direct-database.ts'
import { createFlow } from '../support/resources.ts'
import { type CommandResult, runCommand } from '../support/run-command.ts'
import { loopbackEgress, smtpSettingsFor, startSmtpAuthServer } from '../support/smtp-auth-server.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { recreateDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

/** The result of {@link runRestore}. */
export interface RestoreReport {
  /** The number of accepted notifications before the database was destroyed. */
  readonly accepted: number
  /** The number of deliveries that were unfinished at backup time. */
  readonly openInBackup: number
  /**
   * The number of deliveries that were unfinished at backup time and were sent before the database was destroyed. Without
   * the restore guard, a worker would send them again.
   */
  readonly sentSinceBackup: number
  /** The subjects of messages that were received more than once. */
  readonly sentTwice: readonly string[]
  /** The expected notifications that are missing from the restored database or have no final status. */
  readonly missing: readonly string[]
}

const encryptionKey = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
const scheduled = 5
const concurrency = 8

const succeed = ({ code, out, err }: CommandResult): string => {
  expect(code, out + err).toBe(0)
  return out.trim()
}

const subjectOf = (raw: string): string => /^Subject: (.+)$/m.exec(raw)?.[1]?.trim() ?? ''

/** Invokes `call` with each number from 1 to `count`, a few calls at a time. */
const inParallel = async (count: number, call: (number: number) => Promise<void>): Promise<void> => {
  let next = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await call(++next)
    }),
  )
}

/**
 * Backs up a database while messages are accepted and sent, destroys it, restores it, and ends the hold on its messages with
 * `FLOWPOST_AFTER_RESTORE=cancel`.
 * @param database an empty database. For PostgreSQL, `pg_dump` and `pg_restore` must be installed.
 */
export const runRestore = async (database: TestDatabase, messages: number): Promise<RestoreReport> => {
  // The mail server replies slowly until the backup is made, so that messages are unfinished at backup time.
  let replyAfterMs = 150
  await using smtp = await startSmtpSink({ reply: () => ({ code: 250, text: 'OK', afterMs: replyAfterMs }) })
  await using projectSmtp = await startSmtpAuthServer()
  const env = { ...encryptionKey, FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com', FLOWPOST_SMTP_CONNECTIONS: '1' }
  const options = { database, env: { ...env, FLOWPOST_CAPTURE: 'off', FLOWPOST_RATE_LIMIT: 'off' }, egress: loopbackEgress }
  const backup = join(database.dataDir, '../', `flowpost-backup-${process.pid}-${Date.now()}`)
  const command = (program: CommandProgram, args: readonly string[]) => runCommand(program, args, { ...database.env, ...encryptionKey })

  const before = await startTestServer(options)
  const { project } = await createFlow(before)
  const { project: secretive } = await createFlow(before)
  const integration = { settings: smtpSettingsFor(projectSmtp), secrets: { password: 'secret-1' } }
  await before.request('PUT', `/v1/settings/projects/${secretive.id}/integrations/smtp`, { json: integration })
  const send = async (server: TestServer, project_id: string, subject: string, fields: object = {}): Promise<string> => {
    const { status, json } = await server.request('POST', '/v1/notifications', { json: { project_id, subject, message: 'x', ...fields } })
    expect(status).toBe(202)
    return json.id
  }
  try {
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    for (let number = 0; number < scheduled; number += 1) await send(before, project.id, `scheduled ${number}`, { send_at })

    const accepted = new Map<string, string>()
    let backedUp: readonly string[] = []
    let backingUp: Promise<CommandResult> | undefined
    await inParallel(messages, async (number) => {
      accepted.set(`message ${number}`, await send(before, project.id, `message ${number}`))
      if (accepted.size < messages / 4 || backingUp !== undefined) return
      backedUp = [...accepted.values()]
      backingUp = command(backupProgram, [backup])
    })
    if (backingUp === undefined) throw new Error('No backup was started.')
    expect(succeed(await backingUp)).toBe(backup)
    replyAfterMs = 0
    await smtp.waitForMessages(messages)
    await before.stop()
    const sentBefore = new Set(smtp.received.map(({ raw }) => subjectOf(raw)))

    await recreateDatabase(database)
    succeed(await command(restoreProgram, [backup]))
    const open = await onDatabase(database, (query) =>
      query<{ subject: string }>('select distinct b.subject from delivery_jobs j join message_bodies b on b.delivery_id = j.delivery_id'),
    )

    const held = await before.restart(options)
    expect((await held.request('GET', '/readyz', { key: null })).text).toContain('on hold')
    const fresh = await send(held, project.id, 'fresh')
    const secret = await send(held, secretive.id, 'secret')
    await held.stop()
    expect([smtp.received.length, projectSmtp.received.length]).toEqual([messages, 0])

    const after = await before.restart({ ...options, env: { ...options.env, FLOWPOST_AFTER_RESTORE: 'cancel' } })
    const missing: string[] = []
    for (const id of [fresh, secret, ...backedUp]) {
      const { status, json } = await after.request('GET', `/v1/notifications/${id}?wait=60`)
      if (status !== 200 || ['queued', 'sending'].includes(json.status)) missing.push(id)
    }
    await after.stop()
    expect(projectSmtp.received).toMatchObject([{ password: 'secret-1', subject: 'secret' }])

    const bySubject = Map.groupBy(smtp.received, ({ raw }) => subjectOf(raw))
    return {
      accepted: messages + scheduled,
      openInBackup: open.length,
      sentSinceBackup: open.filter(({ subject }) => sentBefore.has(subject)).length,
      sentTwice: [...bySubject].filter(([, mails]) => mails.length > 1).map(([subject]) => subject),
      missing,
    }
  } finally {
    await before.stop()
    await rm(backup, { recursive: true, force: true })
  }
}

/** Expects that a restore lost nothing that was in the backup, and sent nothing twice. */
export const expectNothingTwice = ({ openInBackup, sentTwice, missing }: RestoreReport): void => {
  expect({ missing, sentTwice }).toEqual({ missing: [], sentTwice: [] })
  expect(openInBackup).toBeGreaterThanOrEqual(scheduled)
}
