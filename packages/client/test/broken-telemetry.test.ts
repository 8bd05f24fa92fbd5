import { describe, expect, it } from 'vitest'
import { json, problem } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { start } from './support/setup.ts'

const createRecordingLogger = () => {
  const lines: string[] = []
  return { lines, logger: { debug: (line: string) => lines.push(`debug ${line}`), warn: (line: string) => lines.push(`warn ${line}`) } }
}

describe('hooks', () => {
  it('do not break a call when they throw', async () => {
    const { lines, logger } = createRecordingLogger()
    const fail = () => {
      throw new Error('broken telemetry')
    }
    await using at = await start({ logger, hooks: { onRequest: fail, onResult: fail } })
    at.server.next(json(200, project))
    expect(await at.flowpost.projects.get(project.id)).toEqual(project)
    expect(lines.filter((line) => line.includes('broken telemetry'))).toHaveLength(2)
  })

  it('break neither a call nor the process when they reject', async () => {
    const { lines, logger } = createRecordingLogger()
    const fail = async () => {
      throw new Error('broken telemetry')
    }
    await using at = await start({ logger, hooks: { onRequest: fail, onResult: fail }, onDeprecation: fail })
    at.server.next(json(200, project, { deprecation: '@1767225600' }))
    expect(await at.flowpost.projects.get(project.id)).toEqual(project)
    // An unhandled rejection would fail the run.
    await new Promise(setImmediate)
    expect(lines.filter((line) => line === 'warn flowpost: a hook threw: Error: broken telemetry')).toHaveLength(3)
  })
})

describe('a failing logger', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('disk full')
      },
    ],
  ])('breaks neither a call nor the process when it %s', async (_, fail) => {
    await using at = await start({ logger: { debug: fail, warn: fail }, hooks: { onResult: fail } })
    at.server.next(problem(503, 'unavailable'), json(200, project, { deprecation: '@1767225600' }))
    const call = at.flowpost.projects.get(project.id)
    await at.clock.elapse(250)
    expect(await call).toEqual(project)
    await new Promise(setImmediate)
  })
})
