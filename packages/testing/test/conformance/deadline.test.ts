import { describe, expect, it } from 'vitest'
import {
  ConformanceFailure,
  runConformance,
  runScenario,
  type Scenario,
  type ScenarioContext,
  type ScenarioResult,
} from '../../src/conformance/index.ts'
import { type BrokenRequest, brokenTarget, createManualTimers, neverRespond } from './broken-target.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

const scenarioOf = (name: string, run: (context: ScenarioContext) => Promise<void>): Scenario => ({
  name,
  operation: null,
  status: 200,
  requirements: [],
  run,
})

const readsProject = scenarioOf('reads a project', async (context) => {
  const { id } = await context.createProject()
  await context.client.projects.get(id)
})
const readsPlainly = scenarioOf('reads a project without the client', async (context) => {
  const { id } = await context.createProject()
  await context.http.expect('projects.get', 200, { params: { project_id: id } })
})
const succeeds = scenarioOf('succeeds', async (context) => {
  await context.createProject()
})

const outcomes = (results: readonly ScenarioResult[]) => results.map(({ scenario, outcome }) => `${scenario.name}: ${outcome}`)
const messageOf = (result: ScenarioResult | undefined): string =>
  result?.outcome === 'failed' && result.error instanceof ConformanceFailure ? result.error.message : `${result?.outcome}`

const isRead = ({ method, url }: BrokenRequest) => method === 'GET' && url.pathname.includes('/prj_')

describe('a scenario that exceeds its time limit', () => {
  it.each([readsProject, readsPlainly])(
    'fails with its name when the server never responds, and the run continues: $name',
    async (scenario) => {
      const mock = createConformingMock()
      const timers = createManualTimers()
      const aborted: unknown[] = []
      const target = brokenTarget(mock, (request) => {
        if (!isRead(request)) return request.forward()
        request.signal.addEventListener('abort', () => aborted.push(request.url.pathname))
        return neverRespond(request, timers.expire)
      })
      const results = await runConformance(target, { scenarios: [scenario, succeeds], timeoutMs: 5_000, timers })
      expect(outcomes(results)).toEqual([`${scenario.name}: failed`, 'succeeds: passed'])
      expect(messageOf(results[0])).toMatch(
        /^reads a project.*: not finished within 5000 ms\. Requests sent: 2\. Waiting for: GET \/v1\/settings\/projects\/prj_\w+ \(no response\)\.$/,
      )
      expect(aborted).toHaveLength(1)
      expect((await mock.client().projects.list()).data).toEqual([])
    },
  )

  it.each([readsProject, readsPlainly])('fails when a response body stalls: $name', async (scenario) => {
    const mock = createConformingMock()
    const timers = createManualTimers()
    mock.faults.next('projects.get', 'stalledBody')
    const target = brokenTarget(mock, async (request) => {
      const response = await request.forward()
      if (isRead(request)) setImmediate(timers.expire)
      return response
    })
    const results = await runConformance(target, { scenarios: [scenario, succeeds], timers })
    expect(outcomes(results)).toEqual([`${scenario.name}: failed`, 'succeeds: passed'])
    expect(messageOf(results[0])).toMatch(/not finished within 60000 ms\. .* Waiting for: GET .* \(status 200, incomplete body\)\.$/)
    expect((await mock.client().projects.list()).data).toEqual([])
  })

  it('fails even if neither the scenario nor the fetch function reacts to the signal', async () => {
    const timers = createManualTimers()
    const ignores = scenarioOf('ignores the signal', async ({ client, signal }) => {
      setImmediate(timers.expire)
      await client.projects.list().then(undefined, () => {})
      expect(signal.aborted).toBe(true)
      await new Promise(() => {})
    })
    const target = brokenTarget(createConformingMock(), () => new Promise(() => {}))
    await expect(runScenario(ignores, target, { timers })).rejects.toThrow('ignores the signal: not finished within 60000 ms.')
  })

  it('sends nothing more', async () => {
    const mock = createConformingMock()
    const timers = createManualTimers()
    let resume = () => {}
    const resumed = new Promise<void>((resolve) => {
      resume = resolve
    })
    const errors: unknown[] = []
    const keepsSending = scenarioOf('keeps sending', async (context) => {
      setImmediate(timers.expire)
      await resumed
      await context.client.projects.create({ name: 'late' }).catch((error: unknown) => errors.push(error))
      await context.http.raw('GET', '/v1/settings/projects').catch((error: unknown) => errors.push(error))
    })
    await expect(runScenario(keepsSending, mockTarget(mock), { timers })).rejects.toThrow('Requests sent: 0. Last request: none.')
    resume()
    await expect.poll(() => errors).toHaveLength(2)
    expect(mock.requests).toEqual([])
  })
})

describe('the time limit of a scenario', () => {
  it.each([
    ['60 s by default', {}, {}, 60_000],
    ["the scenario's own", { timeoutMs: 90_000 }, {}, 90_000],
    ["the option's, even if the scenario has its own", { timeoutMs: 90_000 }, { timeoutMs: 30_000 }, 30_000],
  ])('is %s', async (_, fields, options, limitMs) => {
    const timers = createManualTimers()
    await runScenario({ ...scenarioOf('does nothing', async () => {}), ...fields }, mockTarget(createConformingMock()), {
      ...options,
      timers,
    })
    expect(timers.delays).toEqual([limitMs])
  })
})

describe('a scenario that ends', () => {
  it('stops its timer and aborts requests that it did not await', async () => {
    const timers = createManualTimers()
    let isAborted = false
    const target = brokenTarget(createConformingMock(), (request) => {
      request.signal.addEventListener('abort', () => {
        isAborted = true
      })
      return neverRespond(request, () => {})
    })
    const abandons = scenarioOf('abandons a request', async ({ http }) => {
      http.raw('GET', '/v1/settings/projects').catch(() => {})
    })
    await runScenario(abandons, target, { timers, timeoutMs: 7 })
    expect(isAborted).toBe(true)
    expect(timers.delays).toEqual([7])
    timers.expire()
  })

  it('fails if it ignored a violation', async () => {
    const mock = createConformingMock()
    const target = brokenTarget(mock, async ({ forward }) => {
      const response = await forward()
      response.headers.delete('x-request-id')
      return response
    })
    const ignores = scenarioOf('ignores an error', async ({ client }) => {
      await client.projects.list().then(undefined, () => {})
    })
    await expect(runScenario(ignores, target)).rejects.toThrow('projects.list, 200: the response has no X-Request-Id')
  })
})

describe('a cleanup that exceeds its time limit', () => {
  const createsProjects = scenarioOf('creates projects', async (context) => {
    for (let count = 0; count < 3; count += 1) await context.createProject()
  })

  it('fails the scenario; the other cleanups and scenarios still run', async () => {
    const mock = createConformingMock()
    const timers = createManualTimers()
    let isBroken = true
    const target = brokenTarget(mock, (request) => {
      if (request.method !== 'DELETE' || !isBroken) return request.forward()
      isBroken = false
      return neverRespond(request, timers.expire)
    })
    const results = await runConformance(target, { scenarios: [createsProjects, succeeds], cleanupTimeoutMs: 300, timers })
    expect(outcomes(results)).toEqual(['creates projects: failed', 'succeeds: passed'])
    expect(messageOf(results[0])).toMatch(
      /^A cleanup did not finish within 300 ms\. .* DELETE \/v1\/settings\/projects\/prj_\w+ \(no response\)\.$/,
    )
    expect((await mock.client().projects.list()).data).toHaveLength(1)
    expect(timers.delays).toEqual([60_000, 300, 300, 300, 60_000, 300])
  })

  it('delays the run by no more than one time limit when all cleanups hang', async () => {
    const timers = createManualTimers()
    let hanging = 0
    const target = brokenTarget(createConformingMock(), (request) => {
      if (request.method !== 'DELETE') return request.forward()
      hanging += 1
      return neverRespond(request, hanging === 1 || hanging === 3 ? timers.expire : () => {})
    })
    await expect(runScenario(createsProjects, target, { timers })).rejects.toThrow('A cleanup did not finish within 10000 ms.')
    expect(hanging).toBe(3)
  })

  it("does not hide the scenario's error", async () => {
    const timers = createManualTimers()
    const target = brokenTarget(createConformingMock(), (request) =>
      request.method === 'DELETE' ? neverRespond(request, timers.expire) : request.forward(),
    )
    const fails = scenarioOf('fails', async (context) => {
      await context.createProject()
      throw new ConformanceFailure('the first error')
    })
    await expect(runScenario(fails, target, { timers })).rejects.toThrow('the first error')
  })
})
