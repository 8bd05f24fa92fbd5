import { expect, it } from 'vitest'
import type { ApiError } from './api-error.ts'
import { createItemProblems, parseBatchItem } from './batch.ts'

const errorOf = (item: unknown): ApiError => {
  try {
    parseBatchItem(item, () => [])
  } catch (error) {
    return error as ApiError
  }
  throw new Error('The item is valid.')
}

it.each([300, 20_000, 500_000])('returns a short problem for an item with 50,000 invalid texts below a name of %i characters', (length) => {
  const error = errorOf({ ['k'.repeat(length)]: Array(50_000).fill('\u0000') })
  expect(error.errors).toMatchObject([
    { pointer: '', code: 'invalid_text' },
    { pointer: '/subject', code: 'required' },
    { pointer: '/message', code: 'required' },
    { pointer: '/project_id', code: 'required' },
  ])
})

it('returns less than 1 MB for a batch of 500 items that consist of invalid texts below long names', () => {
  const error = errorOf({ ['k'.repeat(200)]: Array(200).fill('\u0000') })
  const toProblem = createItemProblems('request')
  const problems = Array.from({ length: 500 }, () => toProblem(error))
  expect(problems.slice(4, 7).map(({ errors }) => errors?.length)).toEqual([1_000 - 4 * (error.errors?.length ?? 0), 1, 1])
  expect(JSON.stringify(problems).length).toBeLessThan(1_000_000)
})
