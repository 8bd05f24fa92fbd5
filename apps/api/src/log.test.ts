import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { markAsOfPostgres } from './database/failures.ts'
import { createLog } from './log.ts'
import { createPrettyStream } from './pretty-log.ts'

const levelsOf = (level: string, error: Error): string[] => {
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)).level)
      done()
    },
  })
  createLog({ level, destination }).warn({ err: error }, 'A step failed.')
  return lines
}

describe.each([
  ['the connection that the pool attaches to an error', { client: { secretKey: 'secret' } }],
  ['the parameters of a failed query', { params: ['secret'] }],
  ['the values that PostgreSQL quotes in the detail of an error', { detail: 'Key (target)=(secret) already exists.' }],
  ['the parameters that PostgreSQL quotes in the context of an error', { where: "unnamed portal with parameters: $1 = 'secret'" }],
])('%s', (_what, fields) => {
  const failed = (): Error => Object.assign(new Error('It failed.'), fields)

  it.each([
    ['an error', failed()],
    ['the errors of an AggregateError', new AggregateError([new Error('A step failed.'), failed()], '2 shutdown steps failed.')],
  ])('is hidden in %s', (_where, err) => {
    const lines: string[] = []
    const destination = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
    createLog({ level: 'info', destination }).warn({ err }, 'A step failed.')
    expect(lines.join('')).toContain('A step failed.')
    expect(lines.join('')).toContain('It failed.')
    expect(lines.join('')).not.toContain('secret')
  })
})

const connectionRefused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

describe('the log', () => {
  it('logs errors of a PostgreSQL outage at debug, including wrapped ones', () => {
    const wrapped = new Error('It failed.', { cause: markAsOfPostgres(connectionRefused()) })
    expect([levelsOf('info', wrapped), levelsOf('debug', wrapped)]).toEqual([[], ['debug']])
  })

  it('does not change the level of other errors', () => {
    const bug = markAsOfPostgres(Object.assign(new Error('syntax error'), { code: '42601' }))
    expect([levelsOf('info', connectionRefused()), levelsOf('info', bug)]).toEqual([['warn'], ['warn']])
  })
})

describe('the `help` field', () => {
  const help = (write: (log: ReturnType<typeof createLog>) => void): unknown[] => {
    const lines: unknown[] = []
    const destination = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(JSON.parse(String(chunk)).help)) })
    write(createLog({ level: 'info', destination }))
    return lines
  }
  const reference = 'https://flowpost.github.io/flowpost/reference/log'

  it('links lines at warn and above to their documentation, including lines without fields and lines from child loggers', () => {
    const urls = help((log) => {
      log.warn({ seconds: 1 }, 'PostgreSQL can be reached again.')
      log.child({ a: 1 }).error({}, 'Shutdown failed.')
      log.warn('FLOWPOST_X is not a known setting and is ignored.')
      log.fatal('The clock is wrong.')
    })
    expect(urls).toEqual(['database-reachable', 'shutdown-failed', 'unknown-setting', 'fatal'].map((id) => `${reference}#${id}`))
  })

  it('keeps a link that the caller sets, and adds none to lines below warn or without an entry', () => {
    const urls = help((log) => {
      log.warn({ help: 'https://example.com' }, 'Shutdown failed.')
      log.info({}, 'Migrations applied.')
      log.warn({}, 'A message without an entry.')
    })
    expect(urls).toEqual(['https://example.com', undefined, undefined])
  })
})

it('formats a line for people on a terminal, with its fields and without JSON', () => {
  const lines: string[] = []
  const terminal = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const log = createLog({ level: 'info', destination: createPrettyStream(terminal) })
  log.info({ notification_id: 'ntf_1' }, 'Notification accepted.')
  expect(lines).toHaveLength(1)
  expect(stripVTControlCharacters(lines[0] ?? '')).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: Notification accepted\. \{"notification_id":"ntf_1"\}\n$/,
  )
})
