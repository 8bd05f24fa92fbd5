import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../apps/api/src/config/config.ts'
import { logLineId, logTopics } from '../../../apps/api/src/log-help/log-help.ts'
import { readRepositoryFile } from '../repository.ts'
import { readLogCalls } from './log-calls.ts'

const lines = Object.values(logTopics).flat()
const calls = readLogCalls()
const numbers: Readonly<Record<string, number>> = { info: 30, warn: 40, error: 50, fatal: 60 }
const idOf = (message: string, level: string) => logLineId(message, numbers[level] ?? 0)

// Files in which the message of a log statement is a variable. `fatal` lines are not checked, because one entry covers all of them.
const varying = [
  // Configuration warnings, which are tested below.
  'apps/api/src/main.ts',
  // The function `warn` logs the message that it receives. Its calls contain the messages, so they are checked instead.
  'apps/api/src/tracing/start-tracing.ts',
]

const outcomes = readRepositoryFile('apps/api/src/features/delivery/attempts/log-outcomes.ts')

describe('the log line reference', () => {
  it('has an entry for every statement at warn and above', () => {
    const urgent = calls.filter(({ level, hasHelp }) => level !== 'info' && !hasHelp)
    expect(urgent.length).toBeGreaterThan(40)
    const missing = urgent.filter(({ file, level, message }) =>
      message === undefined ? level !== 'fatal' && !varying.includes(file) : idOf(message, level) === undefined,
    )
    expect(missing).toEqual([])
  })

  it.each(lines.filter(({ id }) => id !== 'fatal'))('lists $id at the level at which a statement writes it', ({ id, level, message }) => {
    const written = calls.filter((call) => call.message !== undefined && idOf(call.message, call.level) === id)
    // The outcome messages are in a table, and configuration warnings are tested below.
    const isVarying = outcomes.includes(`'${message}'`) || id === 'unknown-setting'
    expect(isVarying ? [level] : [...new Set(written.map((call) => call.level))]).toEqual([level])
  })

  it('has the entry for configuration warnings', () => {
    const [warning = ''] = readConfig({ FLOWPOST_SMTP_ULR: 'x' }).warnings
    expect(idOf(warning, 'warn')).toBe('unknown-setting')
  })

  it('has unique ids and messages', () => {
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
    expect(new Set(lines.map(({ message }) => message)).size).toBe(lines.length)
  })

  it('uses the entry for fatal messages only at the level fatal', () => {
    expect(idOf('Something else.', 'error')).toBeUndefined()
    expect(idOf('Something else.', 'fatal')).toBe('fatal')
  })
})
