import { expect, it } from 'vitest'
import { readRepositoryFile } from '../repository.ts'
import { type LogCall, readLogCalls } from './log-calls.ts'

const [, logs = ''] = readRepositoryFile('docs/operate/telemetry.md').split(/^## (?:Logs|Traces)$/m)
const [steps = '', operations = ''] = logs.split('They have these lines instead')

/** Returns the messages in the first column of the tables. */
const messagesIn = (text: string): string[] =>
  [...text.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))

const calls = readLogCalls().filter(({ level }) => level === 'info')

// These statements take their message from a table in the same file.
const outcomeFile = 'apps/api/src/features/delivery/attempts/log-outcomes.ts'
const outcomeMessages = [...readRepositoryFile(outcomeFile).matchAll(/'([A-Z][^']+\.)'/g)].map(([, message = '']) => message)

const messagesOf = (selected: readonly LogCall[]): string[] => {
  const fromTable = selected.some(({ file, message }) => file === outcomeFile && message === undefined) ? outcomeMessages : []
  return [...new Set([...selected.flatMap(({ message }) => message ?? []), ...fromTable])].toSorted()
}

it('lists the log line of every step of a notification, and no others', () => {
  const written = messagesOf(calls.filter(({ fields }) => /\bnotification_id\b/.test(fields)))
  expect(written.length).toBeGreaterThan(12)
  expect(messagesIn(steps).toSorted()).toEqual(written)
})

it('lists the log lines of operations on many notifications, and no others', () => {
  const written = messagesOf(
    calls.filter(({ file, message }) => /\/(?:bulk-actions|erasures)\//.test(file) || message?.endsWith('was restored.')),
  )
  expect(written.length).toBeGreaterThan(5)
  expect(messagesIn(operations).toSorted()).toEqual(written)
})
