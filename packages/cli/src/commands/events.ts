import { randomBytes } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { addEventFilters } from '../events/event-filters.ts'
import { formatEvent } from '../events/event-text.ts'
import { forwardEvent, type Response } from '../events/forward-event.ts'
import { readFeed } from '../events/read-feed.ts'
import { addExamples } from '../examples.ts'
import { readLimit } from '../input/read-limit.ts'
import { readDuration } from '../input/read-time.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatDuration } from '../output/time-text.ts'

const secretVariable = 'FLOWPOST_EVENT_SECRET'
const defaultRetryMs = 60_000

const readReceiver = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It must be an http or https URL, such as http://localhost:8080/hook.')
  return text
}

/** Returns the signing secret from `FLOWPOST_EVENT_SECRET`, or creates and prints one. */
const chooseSecret = ({ io, output }: Pick<CommandContext, 'io' | 'output'>): string => {
  const given = io.env[secretVariable]
  if (given) {
    if (!/^whsec_[A-Za-z0-9+/_-]{32,88}={0,2}$/.test(given))
      throw new CliError(`${secretVariable} is not a signing secret.`, 'It must be whsec_ followed by 24 to 64 bytes in base64.')
    return given
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  output.note(`Signing secret for the receiver: ${secret}`)
  output.note(`To reuse this secret next time: export ${secretVariable}='${secret}'`)
  output.printJsonLine({ event: 'secret_created', secret })
  return secret
}

const describeResponse = ({ status, reason, durationMs }: Response, waitMs: number | undefined): string => {
  const next = waitMs === undefined ? '' : `, retry in ${formatDuration(waitMs)}`
  return `${status === undefined ? `no response (${reason})` : status} after ${formatDuration(durationMs)}${next}`
}

const defineTail: DefineCommand = (command, context) => {
  const { io, output, endWithReader } = context
  addExamples(
    command,
    'flowpost events tail --project billing --type delivery.failed',
    'flowpost events tail --since 1h --limit 10 --json | jq .event.data.failure',
    'flowpost events tail --cursor-file .flowpost/events.cursor --json >> events.jsonl',
  )
  command.addHelpText(
    'after',
    `
Lists the stored events, oldest first, and waits for new ones. With --json, prints one {"cursor", "event"} object per line.
With --cursor-file, the next run after a crash may print the last event again.`,
  )
  addEventFilters(command, io.now)
    .option('-n, --limit <number>', 'end after this many events (default: wait for new ones until Ctrl-C)', readLimit)
    .action(async (filters) => {
      endWithReader()
      let count = 0
      await readFeed(context, filters, false, async (event, cursor) => {
        output.print(formatEvent(event, output.paint))
        output.printJsonLine({ cursor, event })
        // An error keeps the cursor before the event.
        const failure = await io.flush?.()
        if (failure) throw failure.error
        count += 1
        return count !== filters.limit
      })
    })
}

const defineListen: DefineCommand = (command, context) => {
  const { io, output, setExitCode, endWithReader } = context
  addExamples(
    command,
    'flowpost events listen --forward http://localhost:8080/hook',
    'flowpost events listen --forward http://localhost:8080/hook --type delivery.failed --since 1h',
  )
  command.addHelpText(
    'after',
    `
Signs new events as the server does, and sends them to a receiver, one at a time. The receiver needs no public URL. The signing
secret is read from ${secretVariable}. If the variable is not set, the command creates and prints a secret.

A status from 200 to 299 accepts the event. A 410 response ends the command. After any other response, or none, the event is
retried, and later events wait. If the event is not accepted within --retry-for, it is skipped, and the command exits with 1 at
the end.

With --cursor-file, the next run also forwards the events that occurred in between.`,
  )
  addEventFilters(command, io.now)
    .requiredOption('--forward <url>', 'the receiver, such as http://localhost:8080/hook', readReceiver)
    .option('--retry-for <duration>', `how long to retry a failing event (default: ${defaultRetryMs / 1_000}s)`, readDuration)
    .option('-n, --limit <number>', 'end after this many events (default: wait for new ones until Ctrl-C)', readLimit)
    .action(async (filters) => {
      endWithReader()
      const secret = chooseSecret(context)
      let count = 0
      await readFeed(context, filters, true, async (event, cursor) => {
        output.print(formatEvent(event, output.paint))
        const result = await forwardEvent(event, {
          url: filters.forward,
          secret,
          retryMs: filters.retryFor ?? defaultRetryMs,
          io,
          random: Math.random,
          onResponse: (response, waitMs) => {
            const isAccepted = response.status !== undefined && response.status >= 200 && response.status < 300
            output.print(`  ${output.paint(isAccepted ? 'green' : 'red', describeResponse(response, waitMs))}`)
            output.printJsonLine({
              event: 'response',
              id: event.id,
              type: event.type,
              status: response.status ?? null,
              reason: response.reason ?? null,
              retry_in_ms: waitMs === undefined ? null : Math.round(waitMs),
            })
          },
        })
        if (result !== 'accepted') setExitCode(1)
        // After a 410, the line has no cursor, because a run that continues from the cursor would skip the event.
        output.printJsonLine({ event: result, id: event.id, ...(result !== 'gone' && { cursor }) })
        if (result === 'gone')
          throw new CliError(
            'The receiver responded with 410, so this command sends no more events. A Flowpost server would disable the event endpoint after this response.',
          )
        if (result === 'gave_up') output.warn(`${toSafeLine(event.id)} was not accepted, so it is skipped.`)
        count += 1
        return count !== filters.limit
      })
    })
}

/** `flowpost events`: reads the event feed, or forwards events to a local receiver. */
export const defineEvents: DefineCommand = (command, context) => {
  addExamples(command, 'flowpost events tail --project billing', 'flowpost events listen --forward http://localhost:8080/hook')
  defineTail(command.command('tail').description('list the events and wait for new ones'), context)
  defineListen(command.command('listen').description('sign new events and send them to a local receiver'), context)
}
