import { setTimeout as sleep } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import { numbered } from '../load/load-job.ts'
import { expose } from '../processes/rpc.ts'
import { openTransport } from './transport.ts'

// The baseline for delivery: nodemailer's connection pool, without a queue, a database or a log.

interface Mail {
  readonly from: string
  /** The recipient. Each sequence of `#` is replaced with the number of the message. */
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
    transport = openTransport(port, connections)
  },
  /** Sends `count` messages as fast as possible. */
  sendAll: async ({ mail, count }: { mail: Mail; count: number }) => {
    await Promise.all(Array.from({ length: count }, (_, number) => send(mail, number)))
  },
  /** Sends messages at a fixed rate. Returns the duration of each SMTP exchange, in milliseconds. */
  pace: async ({ mail, count, rate }: { mail: Mail; count: number; rate: number }) => {
    const tookMs = new Float64Array(count)
    const startMs = performance.now()
    const sendOne = async (number: number) => {
      const dueInMs = startMs + (number * 1000) / rate - performance.now()
      if (dueInMs > 0) await sleep(dueInMs)
      const sentMs = performance.now()
      await send(mail, number)
      tookMs[number] = performance.now() - sentMs
    }
    await Promise.all(Array.from({ length: count }, (_, number) => sendOne(number)))
    return tookMs
  },
}

/** The functions that the baseline process exposes. */
export type NodemailerAlone = typeof program

expose(program)
