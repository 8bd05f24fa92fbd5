import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createRetention } from './retention.ts'

/** Creates a retention whose statements fail if they contain one of the given texts. All other statements find no expired rows. */
const createFailingRetention = (failing: readonly string[], onLog = (_line: string) => {}) => {
  const executed: string[] = []
  const query = async (text: string) => {
    executed.push(text)
    if (failing.some((table) => text.includes(table))) throw new Error('canceling statement due to statement timeout')
    return []
  }
  const retention = createRetention({
    database: { query } as never,
    clock: { now: () => new Date() },
    log: pino({ level: 'warn' }, { write: onLog }),
    contentMs: 1,
    logMs: 1,
    eventsMs: 1,
    historyMs: 1,
  })
  return { retention, executed }
}

it('runs all steps even if some of them fail, and reports each failure', async () => {
  const { executed: expected, retention: working } = createFailingRetention([])
  await working.run()
  const { executed, retention } = createFailingRetention(['page as materialized', 'report_nonces'])
  const message = 'The retention step `content` failed. The retention step `log` failed. The retention step `reportNonces` failed.'
  await expect(retention.run()).rejects.toThrow(message)
  expect(executed).toEqual(expected)
})

it('logs each failure once', async () => {
  const lines: string[] = []
  const logged = Promise.withResolvers<void>()
  const { retention } = createFailingRetention(['captured_messages', 'report_nonces'], (line) => {
    if (lines.push(line) === 2) logged.resolve()
  })
  retention.start()
  await logged.promise
  await retention.stop()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'Could not remove expired rows; retrying later.',
      err: { message: expect.stringContaining('The retention step `captured` failed.') },
    },
    {
      msg: 'Could not remove expired rows; retrying later.',
      err: { message: expect.stringContaining('The retention step `reportNonces` failed.') },
    },
  ])
})
