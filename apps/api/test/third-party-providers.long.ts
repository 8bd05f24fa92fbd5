import { once } from 'node:events'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFlowpost } from '@flowpost/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServerProcess } from './crash/processes.ts'
import { runBinary } from './support/run-command.ts'
import { createTestDatabase } from './support/test-database.ts'

const example = join(import.meta.dirname, '../../../examples/ntfy/ntfy.ts')
const apiKey = 'fp_0123456789abcdefghijklmnopqrstuvwxyz'

/** A folder outside the repository, from which no package can be resolved. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flowpost-providers-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts a server with the part of the ntfy API that the example uses. */
const startNtfy = async () => {
  const published: { authorization: string | undefined; message: object }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { authorization } = request.headers
    if (authorization !== 'Bearer tk_good') response.writeHead(401).end(JSON.stringify({ error: `unauthorized: ${authorization}` }))
    else if (request.method === 'GET') response.end('{}')
    else {
      published.push({ authorization, message: JSON.parse(Buffer.concat(chunks).toString()) })
      response.end(JSON.stringify({ id: `ntfy-${published.length}` }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    published,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('FLOWPOST_PROVIDERS', () => {
  it('adds a provider that can be listed, checked and sent through', async () => {
    await using ntfy = await startNtfy()
    const file = join(folder, 'ntfy.ts')
    await copyFile(example, file)
    const database = await createTestDatabase()
    const server = await createServerProcess({
      ...database.env,
      FLOWPOST_BOOTSTRAP_KEYS: `alice:${apiKey}`,
      FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_PROVIDERS: file,
      NTFY_URL: ntfy.url,
    })
    try {
      await server.start()
      expect(server.output()).toContain('loaded    ntfy (FLOWPOST_PROVIDERS)')
      const flowpost = createFlowpost({ baseUrl: server.url, apiKey })
      const providers = await flowpost.providers.list()
      const openapi = await (await fetch(`${server.url}/openapi.json`)).text()
      expect(
        providers.data.find(({ source_type }) => source_type === 'ntfy'),
        server.output(),
      ).toMatchObject({ kind: 'chat', secrets_schema: { required: ['token'] } })
      expect(openapi).toContain('"ntfy"')

      const project = await flowpost.projects.create({ name: 'phones' })
      const flow = await flowpost.flows.create(project.id, { name: 'Alerts', source_type: 'ntfy', target: 'alerts' })
      await flowpost.integrations.put(project.id, 'ntfy', { settings: {}, secrets: { token: 'tk_good' } })
      expect(await flowpost.flows.check(project.id, flow.id)).toMatchObject({ ok: true, checks: [{ name: 'authenticate' }] })
      const message = { project_id: project.id, subject: 'Disk', message: 'It is full.' }
      const sent = await flowpost.notifications.send(message).settled({ timeout: 30_000 })
      expect(sent).toMatchObject({ status: 'sent', deliveries: [{ source_type: 'ntfy', provider_message_id: 'ntfy-1', captured: false }] })
      expect(ntfy.published).toEqual([
        { authorization: 'Bearer tk_good', message: { topic: 'alerts', title: 'Disk', message: 'It is full.' } },
      ])

      // The provider throws the server's DeliveryError class, so the failure has its kind and code.
      await flowpost.integrations.put(project.id, 'ntfy', { settings: {}, secrets: { token: 'tk_bad' } })
      const failed = await flowpost.notifications.send(message).settled({ timeout: 30_000 })
      expect(failed.deliveries[0]?.failure).toMatchObject({ kind: 'credential', code: 'http_401', retryable: false })
      expect(JSON.stringify(failed)).not.toContain('tk_bad')
    } finally {
      await server.kill()
      await database.remove()
    }
  })

  it.each([
    ['is missing', undefined, 'cannot be loaded'],
    ['throws an error', 'throw new Error("no good")', 'cannot be loaded. no good'],
    ['exports no provider', 'export const ntfy = {}', 'exports no provider'],
    [
      'exports a provider whose id is taken',
      `export { slack } from '@flowpost/delivery'`,
      'exports a provider with the id slack, which is already used by Flowpost.',
    ],
  ])('stops the startup with an error but no stack trace when the file %s', async (_, source, message) => {
    const file = join(folder, `${Math.random()}.ts`)
    if (source !== undefined) await writeFile(file, source)
    const database = await createTestDatabase()
    const { code, err } = await runBinary('flowpost.js', [], { ...database.env, PORT: '0', FLOWPOST_PROVIDERS: file })
    await database.remove()
    expect(code).toBe(1)
    expect(err).toContain(`FLOWPOST_PROVIDERS: ${file} ${message}`)
    expect(err).not.toMatch(/^\s+at /m)
  })
})
