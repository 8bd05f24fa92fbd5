import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPeriodicTask } from './periodic-task.ts'

const everyMs = 1_000

/** Creates a task whose runs last until the test ends them. */
const createTask = () => {
  const runs: (PromiseWithResolvers<void> & { readonly signal: AbortSignal })[] = []
  const errors: unknown[] = []
  const run = (signal: AbortSignal) => {
    const entry = { ...Promise.withResolvers<void>(), signal }
    runs.push(entry)
    return entry.promise
  }
  return { runs, errors, ...createPeriodicTask({ everyMs, run, onError: (error) => errors.push(error) }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a periodic task', () => {
  it('runs at once and then at every interval', async () => {
    const task = createTask()
    expect(task.runs).toHaveLength(0)
    task.start()
    expect(task.runs).toHaveLength(1)
    for (const count of [2, 3]) {
      task.runs.at(-1)?.resolve()
      await vi.advanceTimersByTimeAsync(everyMs)
      expect(task.runs).toHaveLength(count)
    }
  })

  it('starts no run while one is in flight', async () => {
    const task = createTask()
    task.start()
    await vi.advanceTimersByTimeAsync(5 * everyMs)
    expect(task.runs).toHaveLength(1)
    task.runs[0]?.resolve()
    await vi.advanceTimersByTimeAsync(everyMs)
    expect(task.runs).toHaveLength(2)
  })

  it('reports a run that fails, and continues', async () => {
    const task = createTask()
    task.start()
    const error = new Error('The database is unreachable.')
    task.runs[0]?.reject(error)
    await vi.advanceTimersByTimeAsync(everyMs)
    expect(task.errors).toEqual([error])
    expect(task.runs).toHaveLength(2)
  })

  it('aborts the run in flight when it stops, waits for that run to end, and starts no more runs', async () => {
    const task = createTask()
    task.start()
    let isStopped = false
    const stopped = task.stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(2 * everyMs)
    expect(task.runs.map(({ signal }) => signal.aborted)).toEqual([true])
    expect(isStopped).toBe(false)
    task.runs[0]?.resolve()
    await stopped
    await vi.advanceTimersByTimeAsync(2 * everyMs)
    expect(task.runs).toHaveLength(1)
  })

  it('stops even if it was never started', async () => {
    const task = createTask()
    await task.stop()
    expect(task.runs).toHaveLength(0)
  })
})
