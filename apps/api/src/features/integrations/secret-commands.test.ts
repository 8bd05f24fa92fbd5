import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { onDatabase } from '../../../test/support/direct-database.ts'
import { acquireDatabase } from '../../../test/support/pooled-database.ts'
import type { Queryable } from '../../database/database.ts'
import { createEncryption } from '../../shared/encryption.ts'
import { openRecipientKey } from '../../shared/recipient-key.ts'
import { createSecretCommands } from './secret-commands.ts'

const [old, next, lost] = ['old', 'next', 'lost'].map((id) => ({ id, key: createSecretKey(randomBytes(32)) })) as [never, never, never]
const none = { rotated: 0, current: 0, conflicts: 0, unreadable: 0 }

const rotate = async (database: Queryable, ...keys: never[]) => {
  const errors: string[] = []
  const log = { info: () => {}, error: (text: string) => errors.push(text) } as never
  const run = createSecretCommands({ database, encryption: createEncryption(keys), log, rotateEndpointSecrets: async () => none })
  return { ...(await run('secrets.rotate', {})), errors }
}

it('reports whether the recipient digest key was rotated', async () => {
  const database = await acquireDatabase()
  await onDatabase(database, async (query) => {
    const open = (key: never) =>
      openRecipientKey({ database: { query } as never, encryption: createEncryption([key]), log: { error: () => {} } as never })
    const digestKey = await open(old)

    expect(await rotate({ query } as never, next, lost)).toMatchObject({
      result: { key: 'next', recipient_key: 'unreadable' },
      errors: [expect.stringContaining('encrypted with the key "old", which this process does not have')],
    })
    expect(await rotate({ query } as never, next, old)).toMatchObject({ result: { recipient_key: 'rotated' }, errors: [] })
    expect(await rotate({ query } as never, next)).toMatchObject({ result: { recipient_key: 'current' }, errors: [] })
    expect(await open(next)).toEqual(digestKey)
  }).finally(() => database.remove())
})
