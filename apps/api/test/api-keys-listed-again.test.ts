import { expect, it } from 'vitest'
import { createKey, statusForKey } from './support/api-keys.ts'
import { revokeAsOperator } from './support/revoke-as-operator.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Restarts a server with different bootstrap keys. */
const restart = async (server: TestServer, keys: Readonly<Record<string, string>>): Promise<TestServer> => {
  await server.stop()
  const listed = Object.entries(keys).map(([token, user]) => `${user}:${token}`)
  return server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: listed.join(',') } })
}

/** Returns the id of the only bootstrap key of a user. */
const bootstrapIdOf = async (server: TestServer, key: string): Promise<string> => {
  const { json } = await server.request('GET', '/v1/settings/api-keys', { key })
  return json.data.find(({ name }: { name: string }) => name === 'bootstrap').id
}

it('revokes the keys created with a bootstrap key that was temporarily not listed, when that key is revoked', async () => {
  await using server = await startTestServer({ database: await createTestDatabase() })
  const child = await createKey(server)
  const id = await bootstrapIdOf(server, server.keys.alice)
  await using without = await restart(server, { [server.keys.bob]: 'bob' })
  await using again = await restart(without, { [server.keys.alice]: 'alice' })
  expect(await bootstrapIdOf(again, server.keys.alice)).toBe(id)
  await again.stop()
  await revokeAsOperator(again.database, id)
  await using last = await restart(again, { [server.keys.alice]: 'alice', [server.keys.bob]: 'bob' })

  expect(await Promise.all([server.keys.alice, child.key].map((key) => statusForKey(last, key)))).toEqual([401, 401])
})

it('revokes the keys created with an ordinary key that was listed and temporarily not listed, when that key is revoked', async () => {
  await using server = await startTestServer({ database: await createTestDatabase() })
  const ordinary = await createKey(server)
  const child = await createKey(server, {}, ordinary.key)
  const grandchild = await createKey(server, {}, child.key)
  await using listed = await restart(server, { [ordinary.key]: 'alice' })
  const added = await createKey(listed, {}, ordinary.key)
  await using without = await restart(listed, { [server.keys.bob]: 'bob' })
  await using again = await restart(without, { [ordinary.key]: 'alice' })
  const id = await bootstrapIdOf(again, ordinary.key)
  await again.stop()
  await revokeAsOperator(again.database, id)
  await using last = await restart(again, { [server.keys.bob]: 'bob' })

  const keys = [ordinary, child, grandchild, added].map(({ key }) => key)
  expect(await Promise.all(keys.map((key) => statusForKey(last, key)))).toEqual([401, 401, 401, 401])
})
