import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, server, run } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
const mail = { project, source_type: 'smtp', target: 'ops@example.com', override_target: true }
const ops = mock.seed.flow({ ...mail, name: 'ops-mail', key: 'ops' })
mock.seed.flow({ ...mail, name: 'old mail', active: false })
mock.seed.flow({ ...mail, name: 'chat', source_type: 'slack', target: 'C024BE91L' })
const send = (fields: object) =>
  mock
    .client()
    .notifications.send({ project_id: project.id, subject: 's', message: 'm', ...fields })
    .settled()

/** Starts a server that answers requests for explanations itself, and forwards other requests to the mock server. */
const startOtherServer = async (status: number, explanation: object): Promise<string> => {
  const proxy = createServer(async (request, response) => {
    response.setHeader('Content-Type', 'application/json')
    if (request.url?.endsWith('/explanation')) {
      response.writeHead(status)
      response.end(JSON.stringify(explanation))
      return
    }
    const upstream = await fetch(`${server.url}${request.url}`, { headers: { authorization: request.headers.authorization ?? '' } })
    response.writeHead(upstream.status)
    response.end(await upstream.text())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  afterAll(() => proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

describe('flowpost log ID', () => {
  it('shows which flows were triggered, and why the others were skipped', async () => {
    const { id } = await send({ target: 'smtp:ada@example.com' })
    const { code, stdout } = await run(['log', id])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(
        [
          '\\nflows',
          ` +ops +${ops.id} +smtp +triggered`,
          ' +old mail +flw_\\w+ +smtp +skipped: the flow was inactive',
          " +chat +flw_\\w+ +slack +skipped: none of the request's targets matches the flow\\n",
        ].join('\\n'),
      ),
    )
    const named = await send({ flow_id: ops.id })
    expect((await run(['log', named.id])).stdout).toMatch(/ chat .* skipped: the request names another flow\n/)
  })

  it('prints the explanation as JSON', async () => {
    const { id } = await send({ flow_id: ops.id })
    const { explanation } = (await run(['log', id, '--json'])).json()
    expect(explanation).toEqual(await mock.client().notifications.explanation(id))
  })

  it('says why the flows are unknown', async () => {
    const { id } = await send({})
    const explanation = await mock.client().notifications.explanation(id)
    const detail = 'The notification was accepted before the settings history starts.'
    const unknown = { code: 'before_history', detail }
    const url = await startOtherServer(200, { ...explanation, flows: null, unknown })
    const { code, stdout } = await run(['log', id], { env: { FLOWPOST_BASE_URL: url } })
    expect([code, stdout]).toEqual([0, expect.stringContaining(`\nflows      unknown: ${detail}\n`)])
  })

  it('shows the rest of the notification if the server is too old to explain it', async () => {
    const { id } = await send({})
    const url = await startOtherServer(404, {})
    const env = { FLOWPOST_BASE_URL: url }
    expect((await run(['log', id], { env })).stdout).toContain('\nflows      unknown: this server does not explain notifications\n')
    expect((await run(['log', id, '--json'], { env })).json()).toMatchObject({ id, explanation: null })
  })

  it('shows the receipt of a delivery', async () => {
    const { id, deliveries } = await send({ flow_id: ops.id })
    const receipt = { status: 'bounced', code: '5.1.1', detail: 'Mailbox unknown' } as const
    await mock.client().deliveries.recordReceipt(deliveries[0]?.id ?? '', receipt)
    expect((await run(['log', id])).stdout).toMatch(/\n {2}receipt {4}bounced {2}\S+ \S+ {2}5\.1\.1 Mailbox unknown\n/)
  })
})
