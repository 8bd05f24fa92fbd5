import { type AddressInfo, createServer, type Socket } from 'node:net'

/** The server's action at one step: a reply, or an operation on the connection. */
export type Action = string | 'close' | 'silence' | ((socket: Socket) => void)

/**
 * The server's actions, keyed by step. A list has one action per occurrence of the step. By default, the server accepts
 * every step.
 */
export type Script = Partial<Record<Step, Action | ReadonlyArray<Action | undefined>>>

type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message' | 'RSET' | 'QUIT'

/** A scripted SMTP server over plain TCP. */
export interface ScriptedSmtpServer {
  readonly port: number
  /** Every received command line, in order. */
  readonly commands: string[]
  /** The received messages without dot-stuffing. */
  readonly messages: string[]
  readonly connections: () => number
  readonly sockets: ReadonlySet<Socket>
  readonly close: () => Promise<void>
}

const defaultActions: Record<Step, Action> = {
  greeting: '220 test ESMTP',
  EHLO: '250-test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN',
  AUTH: '235 2.7.0 Accepted',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 Go ahead',
  message: '250 2.0.0 Ok: queued as ABC123',
  RSET: '250 2.0.0 Ok',
  QUIT: (socket) => void socket.end('221 2.0.0 Bye\r\n'),
}

const isCommandStep = (verb: string): verb is Step => /^(?:EHLO|AUTH|MAIL|RCPT|RSET|QUIT)$/.test(verb)

/** Starts a scripted SMTP server on 127.0.0.1, on a free port. */
export async function startScriptedSmtpServer(script: Script = {}): Promise<ScriptedSmtpServer> {
  const commands: string[] = []
  const messages: string[] = []
  const sockets = new Set<Socket>()
  const counts = new Map<Step, number>()
  let connections = 0

  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let buffer = ''
    let inMessage = false

    const perform = (step: Step): string | undefined => {
      const count = counts.get(step) ?? 0
      counts.set(step, count + 1)
      const scripted = script[step]
      const action = (Array.isArray(scripted) ? scripted[count] : (scripted as Action | undefined)) ?? defaultActions[step]
      if (action === 'silence') return undefined
      if (action === 'close') socket.destroy()
      else if (typeof action === 'function') action(socket)
      else socket.write(`${action}\r\n`)
      return typeof action === 'string' ? action : undefined
    }

    socket.on('data', (chunk) => {
      buffer += chunk.toString('utf8')
      for (;;) {
        if (inMessage) {
          const end = buffer.startsWith('.\r\n') ? 0 : buffer.indexOf('\r\n.\r\n')
          if (end < 0) return
          messages.push(buffer.slice(0, end + 2).replace(/^\.\./gm, '.'))
          buffer = buffer.slice(end + (end === 0 && buffer.startsWith('.\r\n') ? 3 : 5))
          inMessage = false
          perform('message')
          continue
        }
        const end = buffer.indexOf('\r\n')
        if (end < 0) return
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        commands.push(line)
        const verb = line.split(' ')[0]?.toUpperCase() ?? ''
        if (verb === 'DATA') inMessage = perform('DATA')?.startsWith('354') === true
        else if (isCommandStep(verb)) perform(verb)
        else socket.write('502 5.5.2 Not implemented\r\n')
      }
    })
    perform('greeting')
  })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    messages,
    connections: () => connections,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
