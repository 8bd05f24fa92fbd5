import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

describe('the options of a run', () => {
  it('default to all groups, seven rounds of three seconds', () => {
    expect(readOptions([], {})).toEqual({
      databaseUrl: undefined,
      redisUrl: 'redis://127.0.0.1:6379',
      short: false,
      rounds: 7,
      measuredMs: 3000,
      warmUpMs: 500,
      only: undefined,
      sample: undefined,
      seed: 1,
      help: false,
      profileDir: undefined,
    })
  })

  it('shorten the run with --short', () => {
    expect(readOptions(['--short'], {})).toMatchObject({ short: true, rounds: 1, measuredMs: 300 })
  })

  it('can be set one by one', () => {
    expect(
      readOptions(['--rounds', '3', '--seconds=0.5', '--only', 'accept, sdk', '--sample', '1', '--seed', '1764242400'], {
        DATABASE_URL: 'postgres://x',
      }),
    ).toMatchObject({
      databaseUrl: 'postgres://x',
      rounds: 3,
      measuredMs: 500,
      warmUpMs: 250,
      only: ['accept', 'sdk'],
      sample: 1,
      seed: 1764242400,
    })
  })

  it.each([
    ['--sample', '0'],
    ['--sample', '1.5'],
    ['--seed', '-1'],
    ['--seed', 'x'],
  ])('reject %s %s', (option, value) => {
    expect(() => readOptions([`${option}=${value}`], {})).toThrow(`${option} must be a whole number`)
  })

  it('treat an empty DATABASE_URL as unset', () => {
    expect(readOptions([], { DATABASE_URL: '' }).databaseUrl).toBeUndefined()
  })

  it('use the Redis server of REDIS_URL, and the default one when it is empty', () => {
    expect(readOptions([], { REDIS_URL: 'redis://elsewhere:6380/1' }).redisUrl).toBe('redis://elsewhere:6380/1')
    expect(readOptions([], { REDIS_URL: '' }).redisUrl).toBe('redis://127.0.0.1:6379')
  })

  it.each(['127.0.0.1:6379', 'http://127.0.0.1:6379'])('reject %j as REDIS_URL', (REDIS_URL) => {
    expect(() => readOptions([], { REDIS_URL })).toThrow('REDIS_URL must be a URL that starts with redis:// or rediss://.')
  })

  it.each([['--rounds', '0'], ['--seconds', 'x'], ['--rounds', '-1'], ['--fast']])('reject %j %j', (...args) => {
    expect(() => readOptions(args, {})).toThrow(TypeError)
  })
})
