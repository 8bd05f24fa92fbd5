import type { SeededProject } from '../database/seed-projects.ts'
import { numbered } from '../load/load-job.ts'
import type { NodemailerAlone } from '../mail/nodemailer-alone.ts'
import type { Accepted, SmtpSink } from '../mail/smtp-sink.ts'
import { apiKey } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { type Context, clientConnections, message } from './context.ts'

/** The number of SMTP connections that each compared program opens: the default of a Flowpost worker. */
export const smtpConnections = 20

/** The address pattern of the recipients. The number in the address identifies the message when it arrives. */
const recipient = 'n######@example.com'

/** The mail that the nodemailer baseline sends. Flowpost renders the same mail. */
export const mailAlone = {
  from: 'bench@example.com',
  to: recipient,
  subject: message.subject,
  text: `Hi,\n\n${message.subject}: ${message.message}\n\nYours, Operations`,
}

/** The mail server, the nodemailer baseline, and the environment variables with which Flowpost sends to this mail server. */
export type Mail = Awaited<ReturnType<typeof startMail>>

/** Starts the mail server and the nodemailer baseline. */
export const startMail = async (context: Context) => {
  const sink = startProgram<SmtpSink>(new URL('../mail/smtp-sink.ts', import.meta.url))
  context.defer(sink.stop)
  const port = await sink.call('start')
  const nodemailer = startProgram<NodemailerAlone>(new URL('../mail/nodemailer-alone.ts', import.meta.url))
  context.defer(nodemailer.stop)
  await nodemailer.call('start', { port, connections: smtpConnections })
  const environment = { FLOWPOST_SMTP_URL: `smtp://127.0.0.1:${port}`, FLOWPOST_EMAIL_FROM: mailAlone.from }
  return { port, sink, nodemailer, environment }
}

/** The rate at which {@link sendNumbered} sends requests, and when the messages are due. */
export interface Offer {
  /** Requests per second. @default as many as the server accepts */
  readonly rate?: number
  /** When the messages are due. @default immediately */
  readonly sendAt?: Date
}

/**
 * Sends notifications to numbered recipients.
 * @returns the time at which each notification was accepted, according to `sharedClockMs`.
 */
export const sendNumbered = (
  { load }: Context,
  port: number,
  project: Pick<SeededProject, 'id'>,
  count: number,
  { rate = Number.POSITIVE_INFINITY, sendAt }: Offer = {},
): Promise<Float64Array> => {
  const body = JSON.stringify({ project_id: project.id, ...message, target: recipient, send_at: sendAt?.toISOString() })
  const request = { method: 'POST', path: '/v1/notifications', body } as const
  return load.call('pace', { port, authorization: `Bearer ${apiKey}`, connections: clientConnections, request, count, rate })
}

/**
 * Returns the arrival time of each message, by its number.
 * @throws Error if a message is missing or arrived twice.
 */
export const arrivals = ({ atMs, recipients }: Accepted, count: number): Float64Array => {
  const places = new Map(recipients.map((address, place) => [address, place]))
  if (recipients.length !== count || places.size !== count)
    throw new Error(`Expected messages to ${count} recipients; ${recipients.length} arrived, to ${places.size} different recipients.`)
  return Float64Array.from({ length: count }, (_, number) => atMs[places.get(numbered(recipient, number)) ?? -1] ?? Number.NaN)
}

const arrivalTimeoutMs = 60_000
const arrivalTimeoutMsPerMessage = 50

/**
 * Waits until `count` messages have arrived since the last reset of the mail server.
 * @returns the arrival time of each message, by its number.
 * @throws Error if a message is missing after a minute plus 50 ms per message, or arrived twice.
 */
export const receiveAll = async ({ sink }: Pick<Mail, 'sink'>, count: number): Promise<Float64Array> => {
  await sink.call('wait', { count, timeoutMs: arrivalTimeoutMs + count * arrivalTimeoutMsPerMessage })
  return arrivals(await sink.call('accepted'), count)
}

/** Returns how many messages per second arrived between the first and the last arrival. */
export const arrivalRate = (atMs: Float64Array): number => {
  const sorted = atMs.toSorted()
  return ((sorted.length - 1) * 1000) / ((sorted.at(-1) as number) - (sorted[0] as number))
}
