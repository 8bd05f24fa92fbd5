import { describe, expect, it } from 'vitest'
import { readScaleOptions } from './options.ts'

const environment = { DATABASE_URL: 'postgres://x' }

describe('the options of a run at scale', () => {
  it('default to a million projects and ten million notifications', () => {
    expect(readScaleOptions([], environment)).toEqual({
      databaseUrl: 'postgres://x',
      size: { projects: 1_000_000, notifications: 10_000_000 },
      rounds: 5,
      measuredMs: 2_000,
      filled: undefined,
      keep: false,
      churn: undefined,
      plans: false,
      migrate: false,
      help: false,
    })
  })

  it('keep a database that was filled before', () => {
    expect(readScaleOptions(['--filled', 'full'], environment)).toMatchObject({ filled: 'full', keep: true })
  })

  it('simulate a million notifications with --churn, or the given number', () => {
    expect(readScaleOptions(['--churn'], environment).churn).toBe(1_000_000)
    expect(readScaleOptions(['--churn', '--notifications', '500'], environment).churn).toBe(500)
  })

  it.each([
    ['--projects', '0'],
    ['--notifications', '1.5'],
    ['--rounds', 'x'],
    ['--seconds', '-1'],
    ['--fast', ''],
  ])('reject %j %j', (...args) => {
    expect(() => readScaleOptions(args, environment)).toThrow(TypeError)
  })

  it('require DATABASE_URL', () => {
    expect(() => readScaleOptions([], {})).toThrow(/DATABASE_URL/)
    expect(readScaleOptions(['--help'], {}).help).toBe(true)
  })
})
