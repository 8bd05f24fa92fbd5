import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openPostgres } from '../../src/database/postgres.ts'
import { entities } from '../../src/entities.ts'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'

it.skipIf(postgresBinaries() === undefined)(
  'a process survives a long wait for a standby, and continues when a standby appears',
  async () => {
    await using postgres = await startPrivatePostgres()
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    const requireStandby = async (name: string) => {
      await admin.query(`alter system set synchronous_standby_names = '${name}'`)
      await admin.query('select pg_reload_conf()')
    }
    const fatal: Error[] = []
    const options = { entities, url: postgres.url, poolSize: 2, log: pino({ level: 'silent' }), recoverWithinMs: 1_000 }
    const database = await openPostgres({ ...options, onFatal: (error) => fatal.push(error) })
    await database.query('create table written (id int)')
    await requireStandby('missing')
    let isWriting = true
    // Every connection of the pool waits for the standby.
    const writers = Array.from({ length: 2 }, async () => {
      while (isWriting) await database.query('insert into written values (1)').catch(() => {})
    })
    await expect.poll(database.isReachable, { timeout: 15_000 }).toBe(false)
    // If checks on new connections failed three times, five seconds apart, the process would end.
    await sleep(25_000)
    expect(fatal).toEqual([])
    await requireStandby('')
    await expect.poll(database.isReachable, { timeout: 15_000 }).toBe(true)
    isWriting = false
    await Promise.all(writers)
    await database.close()
    await admin.end()
  },
)
