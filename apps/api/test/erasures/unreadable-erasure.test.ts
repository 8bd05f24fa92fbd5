import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { encryptAddress } from '../../src/features/erasures/erasure-address.ts'
import { createEncryption } from '../../src/shared/encryption.ts'
import { newUuid, toId } from '../../src/shared/ids.ts'
import { onDatabase } from '../support/direct-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

it('erasures whose digest key was replaced are logged, and do not delay the erasures of others', async () => {
  await using stopped = await startTestServer({})
  await stopped.stop()
  const lost = createEncryption([{ id: 'recipients', key: createSecretKey(randomBytes(32)) }])
  const ids = [newUuid(), newUuid(), newUuid()]
  await onDatabase(stopped.database, async (query) => {
    for (const id of ids)
      await query(
        `insert into erasures (id, user_id, digest, source_type, block, status, deliveries, created_at, address, due_at, claim)
         values ($1::uuid, $1::text, $1::uuid, '', false, 'running', 0, now(), $2, now() - interval '1 minute', 0)`,
        [id, encryptAddress(lost, id, 'a@example.com')],
      )
  })
  await using server = await stopped.restart()
  const { json } = await server.request('POST', '/v1/erasures', { json: { target: 'x@example.com' } })
  await waitForErasure(server, json.id)
  const unreadable = server.logged.filter((line) => line.includes('"msg":"Could not decrypt the recipient of an erasure; retrying later."'))
  expect(unreadable.map((line) => JSON.parse(line).erasure_id).sort()).toEqual(ids.map((id) => toId('erasure', id)).sort())
})
