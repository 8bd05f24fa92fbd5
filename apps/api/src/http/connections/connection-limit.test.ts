import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../log.ts'
import { connectionLimit, logRejectedConnections } from './connection-limit.ts'

describe('connectionLimit', () => {
  it.each([
    [1_000, 20_000, 1_000],
    [1_000, 384, 128],
    [1_000, 100, 16],
    [8, 100, 8],
    [5_000, undefined, 5_000],
  ])('with %s wanted connections and at most %s open files, is %s', (wanted, openFiles, expected) => {
    expect(connectionLimit(wanted, openFiles)).toBe(expected)
  })

  it('uses the open-file limit of the process by default', () => {
    const limit = connectionLimit(1_000_000_000)
    expect(limit).toBeGreaterThanOrEqual(16)
    if (process.platform === 'linux') expect(limit).toBeLessThan(1_000_000_000)
  })
})

it('logs the number of rejected connections at most once a minute', () => {
  const lines: unknown[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      const { level, rejected, max_connections } = JSON.parse(String(chunk))
      lines.push([level, rejected, max_connections])
      done()
    },
  })
  let now = 0
  const onRejected = logRejectedConnections(createLog({ level: 'info', destination }), 7, () => now)
  for (; now < 61_000; now += 1_000) onRejected()
  expect(lines).toEqual([
    ['warn', 1, 7],
    ['warn', 60, 7],
  ])
})
