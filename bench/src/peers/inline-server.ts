import { randomUUID } from 'node:crypto'
import { openTransport } from '../mail/transport.ts'
import { expose } from '../processes/rpc.ts'
import { listen } from './express-app.ts'
import { type Notification, toMail } from './notification.ts'

// A peer, which is a service that does the same work as Flowpost, for comparison. This peer uses Express and nodemailer in one
// process. It responds before it sends the mail. Until then, the mail is only in memory, so a crash loses it.

/** The arguments of `start`. */
export interface InlineStart {
  readonly token: string
  readonly smtpPort: number
  readonly smtpConnections: number
}

const program = {
  /** Starts the server. Returns its port. */
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

/** The functions that the server process exposes. */
export type InlineServer = typeof program

expose(program)
