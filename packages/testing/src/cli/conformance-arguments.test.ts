import { describe, expect, it } from 'vitest'
import { parseConformanceArguments } from './conformance-arguments.ts'

const required = ['--base-url', 'https://flowpost.example.com/', '--api-key', 'fp_secret']

describe('the arguments of flowpost-conformance', () => {
  it('define the server and the options of the run', () => {
    const args = [
      ...required,
      '--other-api-key',
      'fp_other',
      '--receiver',
      'smtp:me@example.com',
      '--deliver',
      '--unconfigured',
      'slack',
      '--captures',
    ]
    expect(parseConformanceArguments([...args, '--body-limit', '2048', '--timeout', '90', '--only', 'projects'], {})).toEqual({
      kind: 'run',
      only: /projects/i,
      timeoutMs: 90_000,
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

  it('define the comparison with the mock', () => {
    const target = { baseUrl: 'https://flowpost.example.com', apiKey: 'fp_secret', mayDeliver: false }
    expect(parseConformanceArguments([...required, '--model'], {})).toEqual({ kind: 'model', target, options: {} })
    const args = [...required, '--model', '--runs', '5', '--steps', '9', '--seed', '0', '--path', '4:0:1']
    expect(parseConformanceArguments(args, {})).toEqual({
      kind: 'model',
      target,
      options: { runs: 5, maxSteps: 9, seed: 0, path: '4:0:1' },
    })
  })

  it('default to the environment', () => {
    const environment = { FLOWPOST_BASE_URL: 'http://127.0.0.1:3000', FLOWPOST_API_KEY: 'fp_a', FLOWPOST_OTHER_API_KEY: 'fp_b' }
    expect(parseConformanceArguments([], environment)).toMatchObject({
      target: { baseUrl: 'http://127.0.0.1:3000', apiKey: 'fp_a', otherApiKey: 'fp_b', mayDeliver: false },
    })
  })

  it.each([
    [[], '--base-url'],
    [['--base-url', 'nowhere'], '--base-url'],
    [['--base-url', 'http://127.0.0.1'], '--api-key'],
    [[...required, '--receiver', 'me'], '--receiver'],
    [[...required, '--unconfigured', 'pigeon'], '--unconfigured must be one of mailgun, smtp, slack.'],
    [[...required, '--body-limit', 'much'], '--body-limit'],
    [[...required, '--timeout', '0'], '--timeout must be a whole number of seconds from 1 to 3600.'],
    [[...required, '--timeout', '1.5'], '--timeout'],
    [[...required, '--timeout', '3601'], '--timeout'],
    [[...required, '--only', '('], '--only'],
    [[...required, '--colour', 'red'], '--colour'],
    [[...required, '--runs', '5'], '--runs requires --model.'],
    [[...required, '--model', '--only', 'projects'], '--only cannot be used with --model.'],
    [[...required, '--model', '--runs', '0'], '--runs must be an integer of at least 1.'],
    [[...required, '--model', '--seed', 'x'], '--seed must be an integer of at least 0.'],
    [[...required, '--model', '--seed', '1', '--path', 'x'], '--path must be numbers separated by colons, such as 12:0:3.'],
    [[...required, '--model', '--path', '1:0'], '--path requires --seed.'],
  ])('rejects %j', (args, reason) => {
    expect(() => parseConformanceArguments(args, {})).toThrow(TypeError)
    expect(() => parseConformanceArguments(args, {})).toThrow(reason)
  })

  it('support --help and --list', () => {
    expect(parseConformanceArguments(['--help'], {})).toEqual({ kind: 'help' })
    expect(parseConformanceArguments(['--list'], {})).toEqual({ kind: 'list' })
  })
})
