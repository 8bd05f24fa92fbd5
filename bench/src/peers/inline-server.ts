import { randomUUID } from 'node:crypto'
import { offer } from '../processes/calls.ts'
import { listen } from './express-app.ts'
import { openTransport } from './mail-transport.ts'
import { type Notification, toMail } from './notification.ts'

// Express and nodemailer in one process: it responds, and sends from memory. What is not sent yet is lost when it ends.

/** What the server is started with. */
export interface InlineStart {
  readonly token: string
  readonly smtpPort: number
  readonly smtpConnections: number
}

const program = {
  /** @returns the port that it listens on. */
  start: async ({ token, smtpPort, smtpConnections }: InlineStart) => {
    const transport = openTransport(smtpPort, smtpConnections)
    const accept = async (notification: Notification) => {
      transport.sendMail(toMail(notification)).catch((error: unknown) => console.error(error))
      return randomUUID()
    }
    const { port } = await listen({ token, accept })
    return port
  },
}

/** What the server offers. */
export type InlineServer = typeof program

offer(program)
