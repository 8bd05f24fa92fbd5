import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { verifyEvent } from '@flowpost/client/events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, home, run } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
const flow = mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com' })
mock.seed.eventEndpoint({ project })

const send = () => mock.client().notifications.send({ project_id: project.id, subject: 's', message: 'm' }).settled()
mock.faults.deliveriesTo(flow.target, { fail: 'bounce', times: 1 })
await send()
await send()
const stored = ['delivery.failed', 'notification.settled', 'delivery.sent', 'notification.settled']

const linesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const tail = async (...args: string[]) => {
  const result = await run(['events', 'tail', '--json', ...args], { now: mock.clock.now })
  const lines = linesOf(result.stdout)
  return { ...result, types: lines.map(({ event }) => event.type), cursors: lines.map(({ cursor }) => cursor as string) }
}

describe('flowpost events tail', () => {
  it('lists the stored events, oldest first, and prints where to continue', async () => {
    const { code, stdout, stderr } = await run(['events', 'tail', '--limit', '4'])
    expect([
      code,
      stdout
        .trim()
        .split('\n')
        .map((line) => / ([a-z]+\.[a-z]+) /.exec(line)?.[1]),
    ]).toEqual([0, stored])
    expect(stderr).toMatch(/To continue from here: --cursor \S+\n$/)
  })

  it.each([
    [['--type', 'delivery.sent', '--limit', '1'], ['delivery.sent']],
    [
      ['--type', 'notification.settled', '--project', 'billing', '--limit', '2'],
      ['notification.settled', 'notification.settled'],
    ],
    [['--since', '1h', '--limit', '1'], ['delivery.failed']],
  ])('filters with %j', async (filters, expected) => {
    expect(await tail(...filters)).toMatchObject({ code: 0, types: expected })
  })

  it('omits events before --since', async () => {
    await mock.clock.advance(7_200_000)
    await send()
    const { types } = await tail('--since', '1h', '--limit', '2')
    expect(types).toEqual(['delivery.sent', 'notification.settled'])
    const times = mock.events.all.map(({ created_at }) => Date.parse(created_at))
    expect(times.filter((time) => time >= mock.clock.now() - 3_600_000)).toHaveLength(2)
  })

  it("continues after a line's cursor", async () => {
    const { cursors } = await tail('--limit', '2')
    expect(await tail('--cursor', cursors[0] ?? '', '--limit', '2')).toMatchObject({ types: stored.slice(1, 3) })
  })

  it('continues at the position in the cursor file, and stores the new position', async () => {
    const args = ['--cursor-file', 'feed.cursor', '--limit', '1']
    const types = [await tail(...args), await tail(...args), await tail(...args)].flatMap((result) => result.types)
    expect(types).toEqual(stored.slice(0, 3))
    expect(existsSync(join(home, 'feed.cursor'))).toBe(true)
    expect(await tail(...args, '--cursor', 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be combined') })
  })

  it('creates the folder of the cursor file', async () => {
    const args = ['--cursor-file', '.flowpost/events.cursor', '--limit', '1']
    const types = [await tail(...args), await tail(...args)].flatMap((result) => result.types)
    expect(types).toEqual(stored.slice(0, 2))
  })

  it('handles no event if the cursor file cannot be written', async () => {
    writeFileSync(join(home, 'occupied'), '')
    const { code, stdout, stderr } = await run(['events', 'tail', '--cursor-file', 'occupied/feed.cursor', '--limit', '1'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`The cursor file ${join(home, 'occupied/feed.cursor')} cannot be used: `)
  })

  it('ends with 130 after Ctrl-C', async () => {
    const interrupt = new AbortController()
    const result = run(['events', 'tail'], { signal: interrupt.signal })
    setTimeout(() => interrupt.abort(), 300)
    expect(await result).toMatchObject({ code: 130 })
  })

  it.each([
    [['--type', 'delivery.lost'], 'Allowed choices are'],
    [['--limit', '0'], 'It must be a number from 1 to 999999.'],
    [['--cursor', 'x'], 'cursor'],
  ])('rejects %j', async (args, message) => {
    expect(await run(['events', 'tail', ...args])).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })
})

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Starts a receiver that verifies each request. It responds with the given statuses first, and then with 204. */
const startReceiver = async (...statuses: number[]) => {
  const received: string[] = []
  const receiver = createServer(async (request, response) => {
    const event = await verifyEvent(await text(request), request.headers, secret).catch(() => undefined)
    received.push(event?.id ?? 'not verified')
    response.writeHead(event ? (statuses.shift() ?? 204) : 401).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  return { received, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` }
}

const listen = (url: string, args: readonly string[], env: Record<string, string> = { FLOWPOST_EVENT_SECRET: secret }) =>
  run(['events', 'listen', '--forward', url, '--json', ...args], { env })

const printedCursor = (stderr: string) => /To continue from here: --cursor (\S+)/.exec(stderr)?.[1] ?? 'none'

const idsOf = () => mock.events.all.map(({ id }) => id)

describe('flowpost events listen', () => {
  it('forwards signed events in order, and repeats an event after a 500', async () => {
    const { received, url } = await startReceiver(204, 500)
    const { code, stdout } = await listen(url, ['--since', '7d', '--limit', '3'])
    const [first, second, third] = idsOf()
    expect([code, received]).toEqual([0, [first, second, second, third]])
    expect(linesOf(stdout).map(({ event, id, status }) => [event, id, status])).toEqual([
      ['response', first, 204],
      ['accepted', first, undefined],
      ['response', second, 500],
      ['response', second, 204],
      ['accepted', second, undefined],
      ['response', third, 204],
      ['accepted', third, undefined],
    ])
  })

  it('starts with new events', async () => {
    const { received, url } = await startReceiver()
    const before = mock.events.all.length
    const requests = mock.requests.length
    const result = listen(url, ['--limit', '1', '--type', 'delivery.sent'])
    await expect.poll(() => mock.requests.slice(requests).some(({ query }) => query['wait'] !== undefined)).toBe(true)
    await send()
    expect(await result).toMatchObject({ code: 0 })
    expect(received).toEqual([mock.events.all.slice(before).find(({ type }) => type === 'delivery.sent')?.id])
  })

  it('continues at the end that an earlier run without events has stored', async () => {
    const { received, url } = await startReceiver()
    const waits = mock.requests.filter(({ query }) => query['wait'] !== undefined).length
    const interrupt = new AbortController()
    const args = ['events', 'listen', '--forward', url, '--cursor-file', 'idle.cursor', '--type', 'delivery.sent']
    const first = run(args, { signal: interrupt.signal })
    await expect.poll(() => mock.requests.filter(({ query }) => query['wait'] !== undefined).length).toBeGreaterThan(waits)
    interrupt.abort()
    expect(await first).toMatchObject({ code: 130 })
    const before = mock.events.all.length
    await send()
    const second = await run([...args, '--limit', '1'], { env: { FLOWPOST_EVENT_SECRET: secret }, signal: AbortSignal.timeout(30_000) })
    expect(second).toMatchObject({ code: 0 })
    expect(received).toEqual([mock.events.all.slice(before).find(({ type }) => type === 'delivery.sent')?.id])
  })

  it('skips an event that is not accepted in time, and exits with 1', async () => {
    const { received, url } = await startReceiver(500)
    const { code, stdout, stderr } = await listen(url, ['--since', '7d', '--limit', '2', '--retry-for', '0s'])
    expect([code, received]).toEqual([1, idsOf().slice(0, 2)])
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['response', 'gave_up', 'response', 'accepted'])
    expect(stderr).toContain(`${received[0]} was not accepted, so it is skipped.`)
  })

  it('ends after a 410 and does not store the position', async () => {
    const { received, url } = await startReceiver(410)
    writeFileSync(join(home, 'gone.cursor'), '')
    const { code, stdout, stderr } = await listen(url, ['--since', '7d', '--cursor-file', 'gone.cursor'])
    expect([code, received.length, readFileSync(join(home, 'gone.cursor'), 'utf8')]).toEqual([1, 1, ''])
    expect(linesOf(stdout).slice(1)).toEqual([{ event: 'gone', id: received[0] }])
    expect(stderr).toContain('The receiver responded with 410')
  })

  it('prints the position before an event that the receiver answered with 410', async () => {
    const { received, url } = await startReceiver(204, 410)
    const { stderr } = await run(['events', 'listen', '--forward', url, '--since', '7d'], { env: { FLOWPOST_EVENT_SECRET: secret } })
    await listen(url, ['--cursor', printedCursor(stderr), '--limit', '1'])
    const [first, second] = idsOf()
    expect(received).toEqual([first, second, second])
  })

  it('prints the position before an event during whose request the user pressed Ctrl-C', async () => {
    const interrupt = new AbortController()
    const receiver = createServer(() => interrupt.abort()).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    onTestFinished(() => void receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const [first] = (await tail('--limit', '1')).cursors
    const { code, stderr } = await run(['events', 'listen', '--forward', url, '--cursor', first ?? ''], { signal: interrupt.signal })
    expect([code, printedCursor(stderr)]).toEqual([130, first])
  })

  it.each([[], ['--json']])('prints a new secret if none is set %s', async (...args) => {
    const { received, url } = await startReceiver()
    const command = ['events', 'listen', '--forward', url, '--since', '7d', '--limit', '1', '--retry-for', '0s', ...args]
    const { code, stdout, stderr } = await run(command)
    expect([code, received]).toEqual([1, ['not verified']])
    if (args.length === 0) expect(stderr).toMatch(/Signing secret for the receiver: whsec_[\w+/]{43}=\n/)
    else expect(linesOf(stdout)[0]).toEqual({ event: 'secret_created', secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) })
  })

  it.each([
    ['ftp://localhost/', {}, 'It must be an http or https URL'],
    ['http://localhost/', { FLOWPOST_EVENT_SECRET: 'secret' }, 'FLOWPOST_EVENT_SECRET is not a signing secret.'],
  ])('rejects %s with %j', async (url, env, message) => {
    expect(await listen(url, [], env)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })
})
