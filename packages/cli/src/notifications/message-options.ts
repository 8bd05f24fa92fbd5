import type { Command } from '@commander-js/extra-typings'
import type { Flowpost, NotificationSend } from '@flowpost/client'
import { InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import { readStdin } from '../input/read-stdin.ts'
import { readTextFile } from '../input/read-text-file.ts'
import { createTimeReader } from '../input/read-time.ts'
import type { Io } from '../io.ts'
import { findAddress } from './find-address.ts'

/** The parsed options that describe a notification, for `send` and `preview`. */
export interface MessageOptions {
  readonly project?: string | undefined
  readonly flow?: string | undefined
  readonly subject?: string | undefined
  readonly file?: string | undefined
  readonly html?: true | undefined
  readonly target?: string | undefined
  readonly at?: string | undefined
  readonly expires?: string | undefined
  readonly reference?: string | undefined
  readonly metadata?: Record<string, string> | undefined
}

const addPair = (text: string, pairs: Record<string, string> = {}): Record<string, string> => {
  const separator = text.indexOf('=')
  if (separator < 1) throw new InvalidArgumentError('It must have the form key=value.')
  return { ...pairs, [text.slice(0, separator)]: text.slice(separator + 1) }
}

/** Adds the argument and the options that describe a notification. */
export const addMessageOptions = (command: Command, now: () => number) => {
  const readFuture = createTimeReader(now, 1)
  return command
    .argument('[message]', 'the message (default: read from standard input)')
    .option('-p, --project <project>', 'the project, by id, key or name (default: the only one)')
    .option('-f, --flow <flow>', 'only this flow, by id, key or name (default: all active flows)')
    .option('-s, --subject <subject>', 'the subject (required)')
    .option('--file <path>', 'read the message from this UTF-8 file (- for standard input)')
    .option('--html', 'the message is HTML')
    .option(
      '-t, --target <targets>',
      "send to these targets (separated by semicolons, such as ops@example.com;slack:C024BE91L) instead of the flows' own targets",
    )
    .option('--at <time>', 'send at this time, such as 2h (from now) or 2026-11-23T06:15:00Z', readFuture)
    .option('--expires <time>', 'cancel deliveries that have not been sent by this time, such as 1h (from now)', readFuture)
    .option('--reference <text>', 'your own identifier, to find the notification with `flowpost log --reference`')
    .option('-m, --metadata <key=value>', 'your own data; can be repeated', addPair)
}

const readMessage = async (argument: string | undefined, file: string | undefined, io: Io): Promise<string> => {
  if (argument !== undefined && file !== undefined) throw new CliError('The message and --file cannot be combined.')
  if (argument !== undefined && argument !== '-') return argument
  if (file !== undefined && file !== '-') return readTextFile(file, io.workingFolder)
  if (io.stdin.isTTY && argument === undefined && file === undefined)
    throw new CliError('There is no message.', 'Pass it as an argument, with --file, or through standard input.')
  // `echo` and editors append a line break that does not belong to the message.
  return (await readStdin(io.stdin)).replace(/\r?\n$/, '')
}

/**
 * Creates the request body for a send or preview from the options.
 *
 * @throws {CliError} When the subject or the message is missing, when the message is given twice or cannot be read, or when
 * the project or the flow cannot be determined.
 */
export const readNotification = async (
  message: string | undefined,
  options: MessageOptions,
  io: Io,
  connectClient: () => Promise<Flowpost>,
): Promise<NotificationSend> => {
  if (options.subject === undefined) throw new CliError('There is no subject.', 'Pass it with --subject.')
  const text = await readMessage(message, options.file, io)
  const flowpost = await connectClient()
  const address = await findAddress(flowpost, options)
  const { subject, html, target, at, expires, reference, metadata } = options
  return {
    ...address,
    subject,
    message: text,
    message_type: html ? 'text/html' : undefined,
    target,
    send_at: at,
    expires_at: expires,
    reference,
    metadata,
  }
}
