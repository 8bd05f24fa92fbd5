import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport, type Transporter } from 'nodemailer'
import { numbered } from '../load/load-job.ts'
import { offer } from '../processes/calls.ts'

// The baseline of delivering: nodemailer's own pool and nothing else. No queue, no database, no record of what was sent.

interface Mail {
  readonly from: string
  /** `#` digits are replaced by the number of the message. */
  readonly to: string
  readonly subject: string
  readonly text: string
}

let transport: Transporter | undefined

const send = async (mail: Mail, number: number): Promise<void> => {
  await transport?.sendMail({ ...mail, to: numbered(mail.to, number) })
}

const program = {
  start: async ({ port, connections }: { port: number; connections: number }) => {
    transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true, pool: true, maxConnections: connections })
  },
  /** Sends so many messages as fast as it can. */
  sendAll: async ({ mail, count }: { mail: Mail; count: number }) => {
    await Promise.all(Array.from({ length: count }, (_, number) => send(mail, number)))
  },
  /** Sends messages at a fixed pace and tells how long each exchange took, in milliseconds. */
  pace: async ({ mail, count, rate }: { mail: Mail; count: number; rate: number }) => {
    const tookMs = new Float64Array(count)
    const startMs = performance.now()
    const one = async (number: number) => {
      const dueInMs = startMs + (number * 1000) / rate - performance.now()
      if (dueInMs > 0) await sleep(dueInMs)
      const sentMs = performance.now()
      await send(mail, number)
      tookMs[number] = performance.now() - sentMs
    }
    await Promise.all(Array.from({ length: count }, (_, number) => one(number)))
    return tookMs
  },
}

/** What the baseline offers. */
export type NodemailerAlone = typeof program

offer(program)
