import { describe, expect, it } from 'vitest'
import { readConformanceArguments } from './conformance-arguments.ts'

const needed = ['--base-url', 'https://flowpost.example.com/', '--api-key', 'fp_secret']

describe('the arguments of flowpost-conformance', () => {
  it('say where the server is and what it may be asked', () => {
    const args = [
      ...needed,
      '--other-api-key',
      'fp_other',
      '--receiver',
      'smtp:me@example.com',
      '--deliver',
      '--unconfigured',
      'slack',
      '--captures',
    ]
    expect(readConformanceArguments([...args, '--body-limit', '2048', '--only', 'projects'], {})).toEqual({
      kind: 'run',
      only: /projects/i,
      target: {
        baseUrl: 'https://flowpost.example.com',
        apiKey: 'fp_secret',
        otherApiKey: 'fp_other',
        mayDeliver: true,
        receiver: { source_type: 'smtp', target: 'me@example.com' },
        unconfigured: { source_type: 'slack', target: 'C024BE91L', settings: {}, secrets: { token: 'xoxb-conformance' }, isCaptured: true },
        bodyLimitBytes: 2048,
      },
    })
  })

  it('can be left to the environment', () => {
    const environment = { FLOWPOST_BASE_URL: 'http://127.0.0.1:3000', FLOWPOST_API_KEY: 'fp_a', FLOWPOST_OTHER_API_KEY: 'fp_b' }
    expect(readConformanceArguments([], environment)).toMatchObject({
      target: { baseUrl: 'http://127.0.0.1:3000', apiKey: 'fp_a', otherApiKey: 'fp_b', mayDeliver: false },
    })
  })

  it.each([
    [[], '--base-url'],
    [['--base-url', 'nowhere'], '--base-url'],
    [['--base-url', 'http://127.0.0.1'], '--api-key'],
    [[...needed, '--receiver', 'me'], '--receiver'],
    [[...needed, '--unconfigured', 'pigeon'], '--unconfigured must be one of mailgun, smtp, slack.'],
    [[...needed, '--body-limit', 'much'], '--body-limit'],
    [[...needed, '--only', '('], '--only'],
    [[...needed, '--colour', 'red'], '--colour'],
  ])('%j are refused', (args, reason) => {
    expect(() => readConformanceArguments(args, {})).toThrow(TypeError)
    expect(() => readConformanceArguments(args, {})).toThrow(reason)
  })

  it('may ask for help or for the table', () => {
    expect(readConformanceArguments(['--help'], {})).toEqual({ kind: 'help' })
    expect(readConformanceArguments(['--list'], {})).toEqual({ kind: 'list' })
  })
})
