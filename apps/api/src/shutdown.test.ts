import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createShutdown } from './shutdown.ts'

const create = () => {
  const logged: string[] = []
  const exits: number[] = []
  const log = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line).msg) })
  return { logged, exits, shutdown: createShutdown({ log, exit: (code) => void exits.push(code) }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('shutdown', () => {
  it('starts with the first signal and exits with 0 when it completes', () => {
    const { shutdown, exits } = create()
    expect(shutdown.signal.aborted).toBe(false)
    shutdown.onSignal('SIGTERM')
    expect(shutdown.signal.aborted).toBe(true)
    expect(shutdown.exitCode()).toBe(0)
    expect(exits).toEqual([])
  })

  it('ends the process at the second signal', () => {
    const { shutdown, exits } = create()
    shutdown.onSignal('SIGINT')
    shutdown.onSignal('SIGINT')
    expect(exits).toEqual([1])
  })

  it('ends the process when closing takes longer than 28 seconds', () => {
    const { shutdown, exits, logged } = create()
    shutdown.onSignal('SIGTERM')
    vi.advanceTimersByTime(27_999)
    expect(exits).toEqual([])
    vi.advanceTimersByTime(1)
    expect(exits).toEqual([1])
    expect(logged.at(-1)).toBe('The shutdown took longer than 28 s; exiting now.')
  })

  it('starts after a fatal error, logs its reason, and exits with 1', () => {
    const { shutdown, exits, logged } = create()
    shutdown.onFatal(new Error('The clock differs by 300 s from the database.'))
    expect(logged).toEqual(['The clock differs by 300 s from the database.'])
    expect(shutdown.signal.aborted).toBe(true)
    expect(shutdown.exitCode()).toBe(1)
    vi.advanceTimersByTime(28_000)
    expect(exits).toEqual([1])
  })

  it('exits with 1 when a fatal error happens while it is running', () => {
    const { shutdown, exits } = create()
    shutdown.onSignal('SIGTERM')
    shutdown.onFatal(new Error('The embedded database has ended.'))
    expect(shutdown.exitCode()).toBe(1)
    expect(exits).toEqual([])
  })
})
