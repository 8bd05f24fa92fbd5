import type { SeededProject } from '../database/seed-projects.ts'
import { numbered } from '../load/load-job.ts'
import type { NodemailerAlone } from '../mail/nodemailer-alone.ts'
import type { Accepted, SmtpSink } from '../mail/smtp-sink.ts'
import { apiKey } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import { type Context, clientConnections, message } from './context.ts'

/** Connections to the mail server: what a worker opens by default, and so for nodemailer alone. */
export const smtpConnections = 20

/** Receivers are numbered, so that each message is known when it arrives. */
const receiver = 'n######@example.com'

/** What nodemailer alone sends: the same as the flow makes of the message. */
export const mailAlone = {
  from: 'bench@example.com',
  to: receiver,
  subject: message.subject,
  text: `Hi,\n\n${message.subject}: ${message.message}\n\nYours, Operations`,
}

/** A mail server, nodemailer alone, and what a Flowpost process must know to send to that server. */
export type Mail = Awaited<ReturnType<typeof startMail>>

/** Starts the mail server and nodemailer, and says what a Flowpost process must know to send there. */
export const startMail = async (context: Context) => {
  const sink = startProgram<SmtpSink>(new URL('../mail/smtp-sink.ts', import.meta.url))
  context.later(sink.stop)
  const port = await sink.call('start')
  const nodemailer = startProgram<NodemailerAlone>(new URL('../mail/nodemailer-alone.ts', import.meta.url))
  context.later(nodemailer.stop)
  await nodemailer.call('start', { port, connections: smtpConnections })
  const environment = { FLOWPOST_SMTP_URL: `smtp://127.0.0.1:${port}`, FLOWPOST_EMAIL_FROM: mailAlone.from }
  return { port, sink, nodemailer, environment }
}

/** How numbered notifications are offered. */
export interface Offer {
  /** Requests per second. Default: as many as the server accepts. */
  readonly rate?: number
  /** When the messages are due. Default: immediately. */
  readonly sendAt?: Date
}

/**
 * Sends notifications, each to a receiver of its own.
 * @returns when each was accepted, in milliseconds of the clock that all processes share.
 */
export const sendNumbered = (
  { load }: Context,
  port: number,
  project: Pick<SeededProject, 'id'>,
  count: number,
  { rate = Number.POSITIVE_INFINITY, sendAt }: Offer = {},
): Promise<Float64Array> => {
  const body = JSON.stringify({ project_id: project.id, ...message, target: receiver, send_at: sendAt?.toISOString() })
  const request = { method: 'POST', path: '/v1/notifications', body } as const
  return load.call('pace', { port, authorization: `Bearer ${apiKey}`, connections: clientConnections, request, count, rate })
}

/**
 * When each message arrived, by its number.
 * @throws Error when one is missing, or has come twice.
 */
export const arrivals = ({ atMs, receivers }: Accepted, count: number): Float64Array => {
  const places = new Map(receivers.map((address, place) => [address, place]))
  if (receivers.length !== count || places.size !== count)
    throw new Error(`Of ${count} messages, ${receivers.length} came, of which ${places.size} are different.`)
  return Float64Array.from({ length: count }, (_, number) => atMs[places.get(numbered(receiver, number)) ?? -1] ?? Number.NaN)
}

const arrivalTimeoutMs = 60_000
const arrivalTimeoutMsPerMessage = 50

/**
 * Waits for all messages since the last reset of the mail server.
 * @returns when each arrived, by its number.
 * @throws Error when one is missing after a minute and 50 ms per message, or has come twice.
 */
export const receiveAll = async ({ sink }: Pick<Mail, 'sink'>, count: number): Promise<Float64Array> => {
  await sink.call('wait', { count, timeoutMs: arrivalTimeoutMs + count * arrivalTimeoutMsPerMessage })
  return arrivals(await sink.call('accepted'), count)
}

/** Messages per second between the first arrival and the last. */
export const arrivalRate = (atMs: Float64Array): number => {
  const sorted = atMs.toSorted()
  return ((sorted.length - 1) * 1000) / ((sorted.at(-1) as number) - (sorted[0] as number))
}
