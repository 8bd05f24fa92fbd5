import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

describe('the options of a run', () => {
  it('default to all mutants, two at the same time', () => {
    expect(readOptions([])).toEqual({
      only: undefined,
      sample: undefined,
      seed: 1,
      jobs: 2,
      verbose: false,
      list: false,
      help: false,
    })
  })

  it('select mutants by a pattern or a seed', () => {
    expect(readOptions(['--only', 'flow', '--sample', '6', '--seed', '1764000000', '--jobs', '1'])).toMatchObject({
      only: /flow/i,
      sample: 6,
      seed: 1_764_000_000,
      jobs: 1,
    })
  })

  it.each([['--only', '('], ['--sample', '0'], ['--seed', '-1'], ['--seed', 'x'], ['--jobs', '17'], ['--color']])(
    'reject %s %s',
    (...args) => {
      expect(() => readOptions(args)).toThrow(TypeError)
    },
  )
})
