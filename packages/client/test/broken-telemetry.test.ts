import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { json, problem, reset } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { failureOf, start } from './support/setup.ts'

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

describe('broken telemetry', () => {
  const thrown = [new Error('no'), undefined, 'no', Symbol('no'), Object.create(null), { toString: () => expect.unreachable() }]
  const failures = thrown.flatMap((value) => [
    () => {
      throw value
    },
    () => Promise.reject(value),
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: a broken promise.
      get then() {
        throw value
      },
    }),
  ])

  it.each(failures.map((fail, index) => [index, fail] as const))(
    'changes neither results nor errors, whatever it throws: %i',
    async (_, fail) => {
      await using at = await start({
        logger: { debug: fail, warn: fail },
        hooks: { onRequest: fail, onResult: fail },
        onDeprecation: fail,
        maxRetries: 1,
      })
      at.server.next(
        json(200, project, { sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' }),
        problem(404, 'not_found'),
        reset,
        problem(503, 'internal'),
      )
      expect(await at.flowpost.projects.get(project.id)).toEqual(project)
      expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject({ code: 'not_found', status: 404 })
      const failure = failureOf(at.flowpost.projects.get(project.id))
      await at.clock.elapse(250)
      expect(await failure).toMatchObject({ code: 'internal', attempts: [{ status: undefined }, { status: 503 }] })
      expect(await failureOf(at.flowpost.projects.get(''))).toMatchObject({ code: 'invalid_argument' })
      // An unhandled rejection would fail the run.
      await new Promise(setImmediate)
      expect(at.clock.pending()).toBe(0)
    },
  )
})

describe('a tracing channel subscriber that throws', () => {
  it('does not affect calls; Node reports it as an uncaught exception', async () => {
    // In a child process, because the test runner would report the exception as its own.
    const program = `
      import { tracingChannel } from 'node:diagnostics_channel'
      import { createFlowpost } from '${new URL('../src/index.ts', import.meta.url)}'
      const uncaught = []
      process.on('uncaughtException', (error) => uncaught.push(error.message))
      process.on('unhandledRejection', () => process.exit(1))
      const fail = () => { throw new Error('broken') }
      tracingChannel('flowpost.call').subscribe({ start: fail, end: fail, asyncStart: fail, asyncEnd: fail, error: fail })
      const answers = [Response.json({ id: 'prj_1' }), Response.json({ code: 'not_found' }, { status: 404 })]
      const flowpost = createFlowpost({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fp_x', fetch: async () => answers.shift() })
      const { id } = await flowpost.projects.get('prj_1')
      const code = await flowpost.projects.get('prj_1').catch((error) => error.code)
      await new Promise(setImmediate)
      console.log(id, code, uncaught.length, new Set(uncaught).size)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', program])
    expect(stdout.trim()).toBe('prj_1 not_found 9 1')
  })
})
