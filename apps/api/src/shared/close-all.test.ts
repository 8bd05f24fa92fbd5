import { describe, expect, it } from 'vitest'
import { closeAll } from './close-all.ts'

/** Creates a stack whose steps fail with the given errors, and records the steps that have run. */
const createSteps = (errors: readonly (Error | undefined)[]) => {
  const stack = new AsyncDisposableStack()
  const closed: number[] = []
  for (const [step, error] of errors.entries())
    stack.defer(async () => {
      closed.push(step)
      if (error) throw error
    })
  return { stack, closed }
}

const [first, second] = [new Error('first'), new Error('second')]

describe('closing', () => {
  it('runs the steps in reverse order', async () => {
    const { stack, closed } = createSteps([undefined, undefined, undefined])
    await closeAll(stack)
    expect(closed).toEqual([2, 1, 0])
  })

  it('runs the other steps when one fails, and throws its error', async () => {
    const { stack, closed } = createSteps([undefined, first, undefined])
    await expect(closeAll(stack)).rejects.toBe(first)
    expect(closed).toEqual([2, 1, 0])
  })

  it('throws every error when several steps fail', async () => {
    const { stack, closed } = createSteps([second, undefined, first])
    await expect(closeAll(stack)).rejects.toMatchObject({ errors: [first, second], message: '2 shutdown steps failed.' })
    expect(closed).toEqual([2, 1, 0])
  })
})
