import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { onDatabase } from '../../../test/support/direct-database.ts'
import { acquireDatabase } from '../../../test/support/pooled-database.ts'
import { type Queryable, textOf } from '../../database/database.ts'
import { createEncryption } from '../../shared/encryption.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { createSecret, decryptSecrets, encryptSecrets } from './endpoint-secrets.ts'
import { rotateEndpointSecrets } from './rotate-endpoint-secrets.ts'

const [old, next] = ['old', 'next'].map((id) => ({ id, key: createSecretKey(randomBytes(32)) })) as [never, never]
const before = createEncryption([old])
const after = createEncryption([next, old])

it('encrypts the secrets of all endpoints with the primary key, without overwriting a rotation of a secret at the same time', async () => {
  const testDatabase = await acquireDatabase()
  try {
    await onDatabase(testDatabase, async (query) => {
      const projectId = newUuid()
      await query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, 'alice', 'a', now(), now())`, [projectId])
      const add = async (secret: string): Promise<Uuid> => {
        const id = newUuid()
        await query(
          `insert into event_endpoints (id, project_id, user_id, url, events, active, description, secrets, created_at, updated_at, cursor_position, cursor_id)
           values ($1, $2, 'alice', null, '{delivery.sent}', true, '', $3, now(), now(), 0, $1)`,
          [id, projectId, encryptSecrets(before, id, { current: secret })],
        )
        return id
      }
      const [first, second, written] = [createSecret(), createSecret(), createSecret()]
      const ids = [await add(first), await add(second)]
      let hasWritten = false
      // Simulates a server without the new key that writes between the read and the replacement.
      const racing: Queryable = {
        query: async (statement, values) => {
          if (!hasWritten && textOf(statement).trim().startsWith('update')) {
            hasWritten = true
            const [id = ''] = ids
            await query('update event_endpoints set secrets = $2 where id = $1', [id, encryptSecrets(before, id, { current: written })])
          }
          return query(textOf(statement), values)
        },
      }
      expect(await rotateEndpointSecrets(racing, after)).toEqual({ rotated: 2, current: 0, conflicts: 0, unreadable: 0 })
      const rows = await query<{ id: Uuid; secrets: Uint8Array }>('select id, secrets from event_endpoints order by id')
      expect(rows.map((row) => decryptSecrets(createEncryption([next]), row).current)).toEqual([written, second])
    })
  } finally {
    await testDatabase.remove()
  }
})
