import { createFlowpost } from '@flowpost/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFlowpostMock } from '../../src/index.ts'
import { flowpostHandlers } from '../../src/msw.ts'

/** The API of Mock Service Worker that the tests use, in both versions. */
export interface Msw {
  readonly setupServer: (...handlers: never[]) => { listen(): void; close(): void; resetHandlers(): void; use(...handlers: never[]): void }
  /** Creates a handler that responds to `GET` with text. */
  readonly answerText: (url: string, text: string) => unknown
}

const baseUrl = 'https://flowpost.example.com'

/** Defines the tests of the handlers for one version of Mock Service Worker. */
export const describeMsw = (what: string, { setupServer, answerText }: Msw): void => {
  describe(what, () => {
    const mock = createFlowpostMock({ baseUrl })
    const server = setupServer(...(flowpostHandlers(mock) as never[]))
    const client = (options = {}) => createFlowpost({ baseUrl, apiKey: mock.apiKey, random: () => 0, ...options })

    beforeAll(() => server.listen())
    afterEach(() => {
      server.resetHandlers()
      mock.reset()
    })
    afterAll(() => server.close())

    it('responds to the global fetch', async () => {
      const { project_id } = mock.seed.flow()
      await client().notifications.send({ project_id, subject: 'a', message: 'b' })
      expect(mock.outbox).toHaveLength(1)
    })

    it('ignores other hosts', async () => {
      server.use(answerText('https://other.example.com/', 'other') as never)
      expect(await (await fetch('https://other.example.com/')).text()).toBe('other')
      expect(mock.requests).toEqual([])
    })

    it.each([
      'https://API.example.com',
      'HTTPS://api.example.com/',
      'https://api.example.com:443',
      'https://exämple.com',
      'https://api.example.com/ä',
      'https://api.example.com/x/../y',
    ])('intercepts requests to the base URL %s', async (url) => {
      server.use(...(flowpostHandlers(mock, { baseUrl: url }) as never[]))
      const own = createFlowpostMock({ baseUrl: url })
      expect(await client({ baseUrl: url, maxRetries: 0 }).projects.list()).toMatchObject({ data: [] })
      expect(mock.requests.map(({ path }) => path)).toEqual(['/v1/settings/projects'])
      server.use(...(flowpostHandlers(own) as never[]))
      expect(await client({ baseUrl: url, apiKey: own.apiKey, maxRetries: 0 }).projects.list()).toMatchObject({ data: [] })
      expect(own.requests.map(({ path }) => path)).toEqual(['/v1/settings/projects'])
    })

    it('fails the connection for network faults', async () => {
      const { project_id } = mock.seed.flow()
      mock.faults.next('notifications.send', 'networkError')
      mock.faults.next('notifications.send', 'commitThenDrop')
      await client().notifications.send({ project_id, subject: 'a', message: 'b' })
      expect(mock.requests.map(({ status }) => status)).toEqual([null, null, 202])
      expect(mock.outbox).toHaveLength(1)
    })

    it('stalls a body until the client gives up', async () => {
      mock.faults.next('projects.list', 'stalledBody')
      const call = client({ attemptTimeout: 50, maxRetries: 0 }).projects.list()
      await expect(call).rejects.toMatchObject({ code: 'connection_failed', status: 200 })
    })

    it('advances the time of a wait automatically', async () => {
      const { project_id, target } = mock.seed.flow()
      mock.faults.deliveriesTo(target, { fail: 'outage', times: 3 })
      const settled = await client().notifications.send({ project_id, subject: 'a', message: 'b' }).settled()
      expect(settled).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 4 }] })
    })
  })
}
