import { afterEach, expect, it, vi } from 'vitest'
import { createFlowpost, type FlowpostOptions } from '../src/index.ts'
import { manualClock } from './manual-clock.ts'
import { project } from './resources.ts'

// The runner itself needs `process` when the last test has ended.
afterEach(() => void vi.unstubAllGlobals())

const flowpostInPage = (options: FlowpostOptions) => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('process', undefined)
  return createFlowpost({
    baseUrl: 'https://flowpost.example.com',
    apiKey: 'fp_x',
    dangerouslyAllowBrowser: true,
    clock: manualClock(),
    ...options,
  })
}

it('sends a key of its own with each call in a page that is not secure, where the platform makes no UUID', async () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  const keys: (string | null)[] = []
  const fetch = async (_: string, { headers }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'))
    return Response.json(project)
  }
  const flowpost = flowpostInPage({ fetch })
  await flowpost.projects.create({ name: 'a' })
  await flowpost.projects.create({ name: 'a' })
  for (const key of keys) expect(key).toMatch(/^\d+(?:-\d+){3}$/)
  expect(new Set(keys).size).toBe(2)
})

it('logs no request id in a page, where a server does not show its own', async () => {
  const lines: string[] = []
  const flowpost = flowpostInPage({
    fetch: async () => Response.json(project),
    logger: { debug: (line) => lines.push(line), warn: (line) => lines.push(line) },
  })
  await flowpost.projects.get(project.id)
  expect(lines).toEqual(['flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: 200 in 0 ms'])
})
