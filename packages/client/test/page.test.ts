import { expect, it, vi } from 'vitest'
import { createFlowpost } from '../src/index.ts'
import { manualClock } from './manual-clock.ts'
import { project } from './resources.ts'

it('logs no request id in a page, where a server does not show its own', async () => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('process', undefined)
  const lines: string[] = []
  const flowpost = createFlowpost({
    baseUrl: 'https://flowpost.example.com',
    apiKey: 'fp_x',
    dangerouslyAllowBrowser: true,
    clock: manualClock(),
    fetch: async () => Response.json(project),
    logger: { debug: (line) => lines.push(line), warn: (line) => lines.push(line) },
  })
  await flowpost.projects.get(project.id)
  expect(lines).toEqual(['flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: 200 in 0 ms'])
})
