import { describe, expect, it } from 'vitest'
import { FlowpostError } from './errors.ts'
import { explain } from './explain.ts'
import { version } from './generated/version.ts'

const error = new FlowpostError('rate_limited (429): The address ops@example.com sends too much.', {
  operation: 'notifications.send',
  code: 'rate_limited',
  status: 429,
  requestId: 'req_2',
  retryAfterMs: 3_600_000,
  errors: [{ in: 'body', pointer: '/target', code: 'invalid_target', message: 'ops@example.com is none.' }],
  attempts: [
    { status: undefined, delayMs: 0, requestId: undefined },
    { status: 429, delayMs: 250, requestId: 'req_2' },
  ],
  snippet: '<html>',
  cause: new Error('ops@example.com used fp_k1_secret-1 and eyJhbGciOi.eyJzdWIi.c2ln'),
})

describe('explain', () => {
  it('summarizes an error without private data', () => {
    expect(explain(error)).toBe(
      `FlowpostError in notifications.send
code      rate_limited (429)
request   req_2
attempts  2: no response after 0 ms, 429 after 250 ms (req_2)
issues    1: body /target invalid_target
retry in  3600000 ms
cause     Error: [redacted] used [redacted] and [redacted]
client    @flowpost/client ${version}`,
    )
  })

  it.each(['timeout', 'connection_failed', 'invalid_argument'] as const)('omits the status for the code %s', (code) => {
    const attempts = [{ status: 200, delayMs: 0, requestId: 'req_1' }]
    const lines = explain(new FlowpostError('Not well.', { operation: 'notifications.get', code, status: 200, attempts })).split('\n')
    expect(lines[1]).toBe(`code      ${code}`)
    expect(lines[2]).toBe('attempts  1: 200 after 0 ms (req_1)')
  })

  it('states that the server allows an immediate retry', () => {
    const failed = new FlowpostError('No.', { operation: 'flows.list', code: 'unavailable', status: 503, attempts: [], retryAfterMs: 0 })
    expect(explain(failed)).toContain('\nretry in  0 ms\n')
  })

  it('summarizes values other than a FlowpostError', () => {
    expect(explain(new TypeError('fp_k1_secret failed'))).toBe(`TypeError: [redacted] failed\nclient    @flowpost/client ${version}`)
    expect(explain(undefined)).toContain('undefined')
  })

  it('has at most eight lines of 300 characters', () => {
    const long = 'a word\nand another\r\n'.repeat(1_000)
    const many = new FlowpostError(long, {
      operation: 'flows.create',
      code: 'unavailable',
      status: 503,
      requestId: long,
      retryAfterMs: 1,
      attempts: Array.from({ length: 100 }, () => ({ status: 503, delayMs: 8_000, requestId: 'req_1' })),
      errors: Array.from({ length: 50 }, () => ({ in: 'body', pointer: `/${long}`, code: 'too_big', message: long })),
      cause: new Error(long),
    })
    for (const thrown of [many, new Error(long), long]) {
      const lines = explain(thrown).split('\n')
      expect(lines.length).toBeLessThanOrEqual(8)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(300)
    }
    expect(explain(many)).toContain('attempts  100: 503 after 8000 ms (req_1), 503')
  })

  it('has no control characters, so that it cannot change a terminal or start another line', () => {
    const hostile = ['\x1b[31m red', '\x07', '\b\b', '\0', '\x85', '\u2028', '\u2029', '\u202e', '\v', '\f', '\r', '\n', '\t'].join('a')
    const shown = explain(
      new FlowpostError('no', {
        operation: 'flows.get',
        code: `x${hostile}` as 'internal',
        requestId: hostile,
        attempts: [{ status: 500, delayMs: 0, requestId: hostile }],
        errors: [{ in: 'body', pointer: hostile, code: 'too_long', message: '' }],
        cause: hostile,
      }),
    )
    expect(shown.split('\n')).toHaveLength(7)
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{C}\u2028\u2029]/u)
  })

  it('summarizes issues whose fields are not text', () => {
    const errors = [{ in: Symbol('body'), pointer: Object.create(null), code: { toString: 1 }, message: '' }]
    const lines = explain(
      new FlowpostError('no', { operation: 'flows.get', code: 'internal', attempts: [], errors: errors as never }),
    ).split('\n')
    expect(lines[2]).toBe('issues    1: Symbol(body) object object')
  })

  it('redacts before it truncates a line, so that no partial address remains', () => {
    expect(explain(new Error(`${'x'.repeat(285)} ops@example.com`))).not.toContain('ops')
  })

  it.each([
    ['a value that cannot be converted to a string', Object.create(null)],
    ['an error from another copy that lacks fields', Object.assign(new Error('no'), { name: 'FlowpostError' })],
  ])('summarizes %s', (_, thrown) => {
    expect(explain(thrown)).toContain(`client    @flowpost/client ${version}`)
  })

  it.each(['a', 'a@', '-eyJ', 'eyJa-', '@.', '.@-'])('takes linear time for a long text of %s', (piece) => {
    const errors = [{ in: 'body', pointer: piece.repeat(300_000), code: 'too_big', message: '' } as const]
    const startedAt = performance.now()
    explain(new FlowpostError('Not well.', { operation: 'flows.get', code: 'internal', attempts: [], errors }))
    // An implementation with quadratic time would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})
