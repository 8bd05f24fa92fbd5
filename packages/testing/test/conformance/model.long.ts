import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { declaredResponses } from '../../src/conformance/index.ts'
import { compareTargets, drawSteps, ModelDifference, type Step } from '../../src/conformance/model/index.ts'
import type { FlowpostMock } from '../../src/index.ts'
import { startMockServer } from '../../src/server.ts'
import { createModelMock, modelTarget } from './model-target.ts'

describe('random sequences of requests', () => {
  it('get the same responses from the mock and the mock server', async () => {
    const [direct, served] = [createModelMock(1), createModelMock(2)]
    await using server = await startMockServer(served)
    const targets = [modelTarget('mock', direct), modelTarget('mock server', served, { baseUrl: server.url, fetch })] as const
    await fc.assert(
      fc.asyncProperty(drawSteps(), (steps) => compareTargets(targets, steps)),
      { numRuns: 10, seed: 20261121 },
    )
  }, 60_000)

  it('cover every operation and most errors', async () => {
    const operations = [...new Set(declaredResponses().map(({ operation }) => operation))]
    const mock = createModelMock(1)
    const targets = [modelTarget('mock', mock), modelTarget('another', createModelMock(2))] as const
    for (const steps of fc.sample(drawSteps(), { numRuns: 100, seed: 4 })) await compareTargets(targets, steps)
    const seen = new Set(mock.requests.map(({ operation, status }) => `${operation} ${status}`))
    expect(operations.filter((name) => !mock.requests.some(({ operation }) => operation === name))).toEqual([])
    expect(seen.size).toBeGreaterThan(80)
    for (const each of ['notifications.send 202', 'notifications.send 422', 'flows.patch 412', 'projects.create 409', 'projects.list 400'])
      expect(seen).toContain(each)
  }, 60_000)
})

describe('the steps of a sequence that advance the time', () => {
  const expiry: Step[] = [
    { operation: 'apiKeys.create', body: { name: 'a', expires_at: '$soon' } },
    { operation: 'projects.list', as: 0, advanceMs: 2 * 3_600_000 },
    { operation: 'projects.list' },
  ]
  const statuses = (mock: FlowpostMock) => mock.requests.filter(({ method }) => method !== 'DELETE').map(({ status }) => status)

  it('advance the clocks of both servers', async () => {
    const mocks = [createModelMock(1), createModelMock(2)] as const
    await compareTargets([modelTarget('one', mocks[0]), modelTarget('other', mocks[1])], expiry)
    expect(mocks.map(statuses)).toEqual([
      [201, 401, 200],
      [201, 401, 200],
    ])
  })

  it('are left out if a server has no clock', async () => {
    const mocks = [createModelMock(1), createModelMock(2)] as const
    const { clock: _, ...withoutClock } = modelTarget('other', mocks[1])
    await compareTargets([modelTarget('one', mocks[0]), withoutClock], expiry)
    expect(mocks.map(statuses)).toEqual([
      [201, 200],
      [201, 200],
    ])
  })
})

describe('a difference', () => {
  const steps: Step[] = [
    { operation: 'projects.create', body: { name: '$name0' } },
    { operation: 'flows.create', project: 0, body: { name: 'a', source_type: 'smtp', target: 'ops@example.com' } },
    { operation: 'notifications.send', project: 0, body: { project_id: '$project', subject: 'a', message: 'b' } },
    { operation: 'projects.list' },
  ]

  it('is reported with the differing lines and a sequence that reproduces it', async () => {
    const targets = [modelTarget('one', createModelMock(1)), modelTarget('other', createModelMock(2, { capture: 'on' }))] as const
    await compareTargets(targets, steps.slice(0, 2))
    const broken = [targets[0], modelTarget('other', createModelMock(2, { capture: 'off' }))] as const
    const difference = await compareTargets(broken, steps).catch((error: unknown) => error)
    if (!(difference instanceof ModelDifference)) throw difference
    expect(difference.message).toContain('one (-) and other (+) differ at step 3 of 4, notifications.send:')
    expect(difference.message).toMatch(/^- +"status": 202/m)
    expect(difference.message).toMatch(/^\+ +"status": 409/m)
    const replayed = JSON.parse(difference.message.split('\n').at(-1) ?? '') as Step[]
    expect(replayed).toEqual(difference.steps)
    await expect(compareTargets(broken, replayed)).rejects.toThrow(ModelDifference)
  })

  it('ignores ids and times', async () => {
    const late = createModelMock(7, { now: '2031-01-01T00:00:00Z' })
    await compareTargets([modelTarget('one', createModelMock(1)), modelTarget('late', late)], steps)
  })
})
