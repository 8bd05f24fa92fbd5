import { afterEach, expect, it, vi } from 'vitest'
import { createFlowpost, type FlowpostOptions } from '../src/index.ts'
import { createManualClock } from './support/manual-clock.ts'
import { project } from './support/resources.ts'

// The test runner needs `process` after each test.
afterEach(() => void vi.unstubAllGlobals())

const createBrowserClient = (options: FlowpostOptions) => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('process', undefined)
  return createFlowpost({
    baseUrl: 'https://flowpost.example.com',
    apiKey: 'fp_x',
    dangerouslyAllowBrowser: true,
    clock: createManualClock(),
    ...options,
  })
}

it('sends a unique key with each call on an insecure page, where the platform has no randomUUID', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  const keys: (string | null)[] = []
  const fetch = async (_: string, { headers }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'))
    return Response.json(project)
  }
  const flowpost = createBrowserClient({ fetch })
  await flowpost.projects.create({ name: 'a' })
  await flowpost.projects.create({ name: 'a' })
  for (const key of keys) expect(key).toMatch(/^\d+(?:-\d+){3}$/)
  expect(new Set(keys).size).toBe(2)
})

it('logs no request id in a browser when the server does not expose one', async () => {
  const lines: string[] = []
  const flowpost = createBrowserClient({
    fetch: async () => Response.json(project),
    logger: { debug: (line) => lines.push(line), warn: (line) => lines.push(line) },
  })
  await flowpost.projects.get(project.id)
  expect(lines).toEqual(['flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: 200 in 0 ms'])
})
