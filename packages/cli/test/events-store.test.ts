import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const client = mock.client()

/** Runs a command that ends after the first event, and sends a message once the command waits for an event. */
const tailOne = async (projectId: string, args: readonly string[], env: Record<string, string> = {}) => {
  const requests = mock.requests.length
  const interrupt = new AbortController()
  const result = run(['events', 'tail', '--limit', '1', ...args], { signal: interrupt.signal, env })
  await expect.poll(() => mock.requests.slice(requests).some(({ query }) => query['wait'] !== undefined)).toBe(true)
  await client.notifications.send({ project_id: projectId, subject: 's', message: 'm' }).settled()
  return { result, interrupt }
}

const seedProject = () => {
  mock.reset()
  const project = mock.seed.project({ key: 'billing', name: 'Billing' })
  mock.seed.flow({ project })
  return project
}

const endpointsOf = async (projectId: string) => (await client.eventEndpoints.list(projectId)).data

describe('flowpost events --store', () => {
  it('creates an endpoint without a URL, so that the project stores events', async () => {
    const { id } = seedProject()
    const { result } = await tailOne(id, ['--store', '--project', 'billing'])
    const { code, stdout, stderr } = await result
    expect([code, stdout]).toEqual([0, expect.stringContaining('delivery.sent')])
    const [endpoint, ...others] = await endpointsOf(id)
    expect([endpoint, others]).toMatchObject([{ url: null, active: true, description: 'Created by the command `flowpost events`' }, []])
    expect(stderr).toContain(`Created the event endpoint ${endpoint?.id}. The project now stores events.`)
  })

  it('creates no endpoint if the project has an active endpoint', async () => {
    const { id } = seedProject()
    mock.seed.eventEndpoint({ project_id: id })
    await (await tailOne(id, ['--store'])).result
    expect(await endpointsOf(id)).toHaveLength(1)
  })

  it('requires --project if there are several projects', async () => {
    seedProject()
    mock.seed.project({ name: 'Shop' })
    const { code, stderr } = await run(['events', 'tail', '--store'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--store needs a project. Name one with --project.')])
  })

  it('needs a key that may create endpoints', async () => {
    seedProject()
    const FLOWPOST_API_KEY = mock.seed.apiKey({ scopes: ['notifications:read', 'settings:read'] })
    const { code, stderr } = await run(['events', 'tail', '--store'], { env: { FLOWPOST_API_KEY } })
    expect([code, stderr]).toEqual([1, expect.stringContaining('scope_missing')])
  })
})

describe('flowpost events without --store', () => {
  it('warns if the project stores no events, and creates nothing', async () => {
    const { id } = seedProject()
    const { result, interrupt } = await tailOne(id, [])
    interrupt.abort()
    const { code, stderr } = await result
    expect([code, stderr]).toEqual([130, expect.stringContaining('stores no events. Pass --store to create one without a URL.')])
    expect(await endpointsOf(id)).toEqual([])
  })

  it('reads the feed with a key that may not read settings', async () => {
    const { id } = seedProject()
    mock.seed.eventEndpoint({ project_id: id })
    const FLOWPOST_API_KEY = mock.seed.apiKey({ scopes: ['notifications:read'] })
    const { result } = await tailOne(id, [], { FLOWPOST_API_KEY })
    expect(await result).toMatchObject({ code: 0, stdout: expect.stringContaining('delivery.sent') })
  })
})
