import { expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { startProviderServers } from '../support/provider-servers.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { loopbackEgress } from '../support/smtp-auth-server.ts'
import { startTestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

const address = 'bob@x.io'
const maxDiscordCharacters = 2_000

it('still sends a scheduled message of the maximum length that mentions an erased address', async () => {
  await using discord = await startProviderServers()
  await using server = await startTestServer({
    providers: discord.providers,
    egress: loopbackEgress,
    env: { FLOWPOST_CAPTURE: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  })
  const { project } = await createFlow(server, { source_type: 'discord', target: 'ops' })
  const json = { settings: {}, secrets: { urls: { ops: `${discord.url}/api/webhooks/1/token_0123456789` } } }
  const stored = await server.request('PUT', `/v1/settings/projects/${project.id}/integrations/discord`, { json })
  expect(stored.status, stored.text).toBe(200)
  const message = `Signed up: ${address} `.padEnd(maxDiscordCharacters, 'x')
  const { id } = await send(server, project.id, { message, send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const erasure = await server.request('POST', '/v1/erasures', { json: { target: address } })
  const { target } = await waitForErasure(server, erasure.json.id)

  await server.stop()
  const bodies = await onDatabase(server.database, async (query) => {
    await query('update delivery_jobs set due_at = now()')
    return query(`select content ->> 'text' as text from message_bodies`)
  })
  expect(bodies).toEqual([{ text: message.replace(address, target.slice(0, address.length)) }])
  await using restarted = await server.restart()
  expect((await readCompleted(restarted, id)).deliveries).toMatchObject([{ status: 'sent', failure: null }])
})
