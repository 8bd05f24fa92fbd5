import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { onDatabase } from '../../../test/support/direct-database.ts'
import { acquireDatabase } from '../../../test/support/pooled-database.ts'
import { type Queryable, textOf } from '../../database/database.ts'
import { createEncryption } from '../../shared/encryption.ts'
import { newUuid } from '../../shared/ids.ts'
import { decryptSecrets, encryptSecrets } from './integration-secrets.ts'
import { rotateSecrets } from './rotate-secrets.ts'

const [old, next, lost] = ['old', 'next', 'lost'].map((id) => ({ id, key: createSecretKey(randomBytes(32)) })) as [never, never, never]
const before = createEncryption([old])
const after = createEncryption([next, old])

const insert = async (on: Queryable, encryption: typeof before, token: string): Promise<string> => {
  const projectId = newUuid()
  await on.query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, 'alice', $2, now(), now())`, [
    projectId,
    projectId,
  ])
  await on.query(
    `insert into integrations (project_id, source_type, id, settings, secret_names, secrets, created_at, updated_at)
     values ($1, 'slack', $2, '{}', '{token}', $3, now(), now())`,
    [projectId, newUuid(), encryptSecrets(encryption, projectId, 'slack', { token })],
  )
  return projectId
}

const tokens = async (on: Queryable, encryption: typeof before): Promise<unknown[]> => {
  const rows = await on.query<{ project_id: string; source_type: string; secrets: Uint8Array }>(
    'select project_id, source_type, secrets from integrations order by id',
  )
  return rows.map((row) => decryptSecrets(encryption, row)['token'])
}

it('encrypts all secrets with the primary key in batches, without overwriting concurrent writes', async () => {
  const database = await acquireDatabase()
  await onDatabase(database, async (query) => {
    const projects: string[] = []
    for (let number = 0; number < 11; number += 1) projects.push(await insert({ query }, before, `token ${number}`))
    const written = projects[4] ?? ''
    const statements: string[] = []
    // Simulates a server without the new key that writes between the read and the replacement of the second batch.
    const racing: Queryable = {
      query: async (statement, values) => {
        statements.push(textOf(statement).trim().split(' ', 1)[0] ?? '')
        if (statements.filter((verb) => verb === 'update').length === 2 && statements.at(-1) === 'update')
          await query('update integrations set secrets = $2 where project_id = $1', [
            written,
            encryptSecrets(before, written, 'slack', { token: 'written meanwhile' }),
          ])
        return query(textOf(statement), values)
      },
    }
    const report = await rotateSecrets({ database: racing, encryption: after, batchSize: 3 })

    expect(report).toEqual({ key: 'next', rotated: 11, current: 0, conflicts: 0, unreadable: 0, unreadable_integrations: [] })
    expect(await tokens({ query }, createEncryption([next]))).toEqual(
      projects.map((id, number) => (id === written ? 'written meanwhile' : `token ${number}`)),
    )
    expect(await rotateSecrets({ database: { query }, encryption: after, batchSize: 3 })).toMatchObject({ rotated: 0, current: 11 })
  }).finally(() => database.remove())
})

it('leaves unreadable secrets unchanged and continues', async () => {
  const database = await acquireDatabase()
  await onDatabase(database, async (query) => {
    await insert({ query }, createEncryption([lost]), 'a')
    const damaged = await insert({ query }, before, 'b')
    await query(`update integrations set secrets = '\\x00' where project_id = $1`, [damaged])
    await insert({ query }, before, 'c')
    const report = await rotateSecrets({ database: { query }, encryption: after, batchSize: 1 })
    expect(report).toMatchObject({ rotated: 1, current: 0, unreadable: 2 })
    expect(report.unreadable_integrations.map(({ key }) => key).sort()).toEqual(['lost', null])
  }).finally(() => database.remove())
})

it('rejects a rotation without a key', async () => {
  const query = () => Promise.reject(new Error('not expected'))
  await expect(rotateSecrets({ database: { query }, encryption: createEncryption([]) })).rejects.toThrow('FLOWPOST_ENCRYPTION_KEY')
})

it('reports secrets as unreadable if the primary key has their id but another value, and if their bytes are damaged', async () => {
  const database = await acquireDatabase()
  await onDatabase(database, async (query) => {
    const sameId = createEncryption([{ id: 'next', key: createSecretKey(randomBytes(32)) }])
    const projects = [await insert({ query }, sameId, 'another key'), await insert({ query }, after, 'damaged')]
    await query('update integrations set secrets = set_byte(secrets, 40, get_byte(secrets, 40) # 1) where project_id = $1', [projects[1]])
    const report = await rotateSecrets({ database: { query }, encryption: after })
    expect(report).toMatchObject({ rotated: 0, current: 0, unreadable: 2 })
    expect(report.unreadable_integrations.map(({ key }) => key)).toEqual(['next', 'next'])
  })
})
