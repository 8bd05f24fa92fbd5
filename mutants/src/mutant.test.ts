import { describe, expect, it } from 'vitest'
import { applyMutant, kindOf, UnmatchedMutant } from './mutant.ts'

const mutant = { name: 'answers no', file: 'packages/domain/src/answer.ts', find: `'yes'`, replace: `'$&'` }

describe('applyMutant', () => {
  it('inserts the replacement literally, even if it contains `$&`', () => {
    expect(applyMutant(`const answer = 'yes'\n`, mutant)).toBe(`const answer = '$&'\n`)
  })

  it('rejects a text that is not in the file', () => {
    expect(() => applyMutant(`const answer = 'no'\n`, mutant)).toThrow(UnmatchedMutant)
    expect(() => applyMutant('', mutant)).toThrow(
      /^The mutant "answers no" no longer fits packages\/domain\/src\/answer\.ts: its text `find` is not in the file\. Update the mutant/,
    )
  })

  it('rejects a text that occurs more than once', () => {
    expect(() => applyMutant(`['yes', 'yes']`, mutant)).toThrow('its text `find` occurs 2 times in the file.')
  })
})

describe('kindOf', () => {
  it.each([
    ['apps/api/src/app.ts', 'server'],
    ['packages/contract/src/rules/pages.ts', 'server'],
    ['packages/testing/src/mock.ts', 'mock'],
  ])('assigns a mutant of %s to the %s', (file, kind) => {
    expect(kindOf({ file })).toBe(kind)
  })
})
