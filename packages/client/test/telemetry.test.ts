import { tracingChannel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import type { DeprecationNotice, RequestEvent, ResultEvent } from '../src/index.ts'
import { json, problem, silence, stalledBody, text } from './support/hostile-server.ts'
import { flow, project } from './support/resources.ts'
import { failureOf, start } from './support/setup.ts'

const createRecordingLogger = () => {
  const lines: string[] = []
  return { lines, logger: { debug: (line: string) => lines.push(`debug ${line}`), warn: (line: string) => lines.push(`warn ${line}`) } }
}

describe('hooks', () => {
  it('observe every attempt and can add headers', async () => {
    const requests: RequestEvent[] = []
    const results: ResultEvent[] = []
    const onRequest = (event: RequestEvent) => {
      event.headers.set('traceparent', `00-${event.attempt}`)
      requests.push(event)
    }
    await using at = await start({ hooks: { onRequest, onResult: (event) => results.push(event) } })
    at.server.next(problem(503, 'unavailable'), json(200, flow))
    const call = at.flowpost.flows.get(project.id, flow.id)
    await at.clock.elapse(250)
    await call
    const same = { operation: 'flows.get', method: 'GET', path: '/v1/settings/projects/:project_id/flows/:flow_id' }
    expect(requests).toMatchObject([
      { ...same, attempt: 1 },
      { ...same, attempt: 2 },
    ])
    expect(results).toMatchObject([
      { ...same, attempt: 1, status: 503, delayMs: 0, retryInMs: 250, error: { code: 'unavailable' } },
      { ...same, attempt: 2, status: 200, delayMs: 250, retryInMs: undefined, error: undefined },
    ])
    expect(at.server.requests.map(({ headers }) => headers['traceparent'])).toEqual(['00-1', '00-2'])
  })
})

describe('the logger', () => {
  it('receives one line per attempt, without identifiers', async () => {
    const { lines, logger } = createRecordingLogger()
    await using at = await start({ logger })
    at.server.next(problem(503, 'unavailable', { 'x-request-id': 'r1' }), json(200, project, { 'x-request-id': 'r2' }))
    const call = at.flowpost.projects.get(project.id)
    await at.clock.elapse(250)
    await call
    expect(lines).toEqual([
      'warn flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: 503 in 0 ms, request r1; retry in 250 ms',
      'debug flowpost: projects.get GET /v1/settings/projects/:project_id attempt 2: 200 in 0 ms, request r2',
    ])
  })
})

describe('an attempt that is aborted with its call', () => {
  const recordTelemetry = () => {
    const { lines, logger } = createRecordingLogger()
    const results: ResultEvent[] = []
    return { lines, results, options: { logger, hooks: { onResult: (event: ResultEvent) => results.push(event) } } }
  }

  it('is reported once when the deadline passes', async () => {
    const { lines, results, options } = recordTelemetry()
    await using at = await start({ ...options, timeout: 300 })
    at.server.next(silence)
    const failure = failureOf(at.flowpost.projects.get(project.id, { headers: { 'x-request-id': 'r1' } }))
    await at.server.received(1)
    at.clock.advance(300)
    expect(await failure).toMatchObject({ code: 'timeout' })
    expect(results).toMatchObject([{ attempt: 1, status: undefined, durationMs: 300, retryInMs: undefined, error: { code: 'timeout' } }])
    expect(lines).toEqual(['debug flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: timeout in 300 ms, request r1'])
  })

  it("is reported once when the caller's signal aborts, even with a retryable status", async () => {
    const { lines, results, options } = recordTelemetry()
    await using at = await start(options)
    at.server.next(stalledBody(503))
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.responded(1)
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    expect(results).toMatchObject([{ attempt: 1, status: 503, retryInMs: undefined, error: { code: 'aborted', cause: 'enough' } }])
    expect(lines).toHaveLength(1)
  })

  it('is not reported as a success when the response had started', async () => {
    const { lines, options } = recordTelemetry()
    await using at = await start(options)
    at.server.next(stalledBody(200, { 'x-request-id': 'r1' }))
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.responded(1)
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    expect(lines).toEqual(['debug flowpost: projects.get GET /v1/settings/projects/:project_id attempt 1: 200 aborted in 0 ms, request r1'])
  })

  it('is reported when the client is disposed', async () => {
    const { results, options } = recordTelemetry()
    await using at = await start(options)
    at.server.next(silence)
    const call = at.flowpost.projects.get(project.id)
    await at.server.received(1)
    at.flowpost[Symbol.dispose]()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(results).toMatchObject([{ attempt: 1, error: { code: 'aborted', cause: { name: 'AbortError' } } }])
  })

  it('is not reported again when the call is aborted during backoff', async () => {
    const { results, options } = recordTelemetry()
    await using at = await start(options)
    at.server.next(problem(503, 'unavailable'))
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.clock.scheduled(250)
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    expect(results).toMatchObject([{ attempt: 1, status: 503, retryInMs: 250, error: { code: 'unavailable' } }])
  })
})

describe('the tracing channel', () => {
  it('publishes start and end of every call', async () => {
    const seen: [string, unknown][] = []
    const record = (name: string) => (context: object) => seen.push([name, { ...context }])
    const subscribers = {
      start: record('start'),
      end: () => {},
      asyncStart: () => {},
      asyncEnd: record('asyncEnd'),
      error: record('error'),
    }
    const channel = tracingChannel('flowpost.call')
    channel.subscribe(subscribers)
    try {
      await using at = await start()
      at.server.next(json(200, project), problem(404, 'not_found'))
      await at.flowpost.projects.get(project.id)
      await failureOf(at.flowpost.projects.get(project.id))
    } finally {
      channel.unsubscribe(subscribers)
    }
    expect(seen).toMatchObject([
      ['start', { operation: 'projects.get' }],
      ['asyncEnd', { operation: 'projects.get', attempts: [{ status: 200 }] }],
      ['start', { operation: 'projects.get' }],
      ['error', { error: { code: 'not_found' } }],
      ['asyncEnd', { attempts: [{ status: 404 }] }],
    ])
  })
})

describe('a tracing channel message', () => {
  const secret = 'fp_k2_zyxwvutsrqponmlkjihgfedcba9876543210'
  const apiKey = { id: 'key_1', name: 'ci', scopes: ['notifications:send'], key: secret }

  /** Returns every message that the channel publishes during `work`, as it was when published. */
  const messagesOf = async (work: () => Promise<unknown>) => {
    const messages: object[] = []
    const record = (context: object) => messages.push({ ...context, json: JSON.stringify(context) })
    const subscribers = { start: record, end: record, asyncStart: record, asyncEnd: record, error: record }
    const channel = tracingChannel('flowpost.call')
    channel.subscribe(subscribers)
    try {
      await work()
    } finally {
      channel.unsubscribe(subscribers)
    }
    return messages
  }

  it('contains neither a new API key nor anything else from the response', async () => {
    await using at = await start()
    at.server.next(json(201, apiKey))
    const messages = await messagesOf(async () => {
      expect(await at.flowpost.apiKeys.create({ name: 'ci', scopes: ['notifications:send'] })).toEqual(apiKey)
    })
    expect(messages).toHaveLength(4)
    for (const message of messages) expect(message).not.toMatchObject({ result: expect.anything() })
    expect(JSON.stringify(messages)).not.toContain(secret)
    expect(JSON.stringify(messages)).not.toContain('notifications:send')
  })

  it('contains no API key when the response cannot be parsed', async () => {
    await using at = await start()
    at.server.next(text(201, `${JSON.stringify(apiKey)}<!-- added by a proxy -->`))
    const messages = await messagesOf(async () => {
      const error = await failureOf(at.flowpost.apiKeys.create({ name: 'ci', scopes: ['notifications:send'] }))
      expect(error).toMatchObject({ code: 'unexpected_response', snippet: expect.stringContaining('[redacted]') })
    })
    expect(messages).toHaveLength(5)
    expect(JSON.stringify(messages)).not.toContain(secret)
  })
})

describe('a deprecation', () => {
  const headers = {
    deprecation: '@1767225600',
    sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    link: '<https://example.com/why>; rel="deprecation"',
  }

  it('is reported once per operation', async () => {
    const notices: DeprecationNotice[] = []
    await using at = await start({ onDeprecation: (notice) => notices.push(notice) })
    at.server.next(json(200, project, headers), json(200, project, headers), json(200, flow, { deprecation: 'true' }))
    await at.flowpost.projects.get(project.id)
    await at.flowpost.projects.get(project.id)
    await at.flowpost.flows.get(project.id, flow.id)
    expect(notices).toEqual([
      {
        operation: 'projects.get',
        deprecatedAt: new Date('2026-01-01T00:00:00Z'),
        sunsetAt: new Date('2027-01-01T00:00:00Z'),
        link: headers.link,
      },
      { operation: 'flows.get', deprecatedAt: undefined, sunsetAt: undefined, link: undefined },
    ])
  })

  it('is reported for a response that contains only the date of the removal', async () => {
    const notices: DeprecationNotice[] = []
    await using at = await start({ onDeprecation: (notice) => notices.push(notice) })
    at.server.next(json(200, project, { sunset: headers.sunset }))
    await at.flowpost.projects.get(project.id)
    const sunsetAt = new Date('2027-01-01T00:00:00Z')
    expect(notices).toEqual([{ operation: 'projects.get', deprecatedAt: undefined, sunsetAt, link: undefined }])
  })

  it('is logged as a warning without `onDeprecation`', async () => {
    const { lines, logger } = createRecordingLogger()
    await using at = await start({ logger })
    at.server.next(json(200, project, headers))
    await at.flowpost.projects.get(project.id)
    expect(lines[0]).toBe('warn flowpost: projects.get is deprecated and will be removed on 2027-01-01T00:00:00.000Z')
  })
})

describe('the User-Agent header', () => {
  it('names the client and its platform', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    await at.flowpost.projects.get(project.id)
    expect(at.server.requests[0]?.headers['user-agent']).toMatch(/^flowpost-client\/\d+\.\d+\.\d+\S* Node\.js\/\d+/)
  })
})
