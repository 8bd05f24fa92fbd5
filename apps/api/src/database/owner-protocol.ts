import { connect, type Socket } from 'node:net'

/** What a command led to. */
export type CommandAnswer = { readonly result: unknown } | { readonly error: string }

/** Carries out a command of an operator. Does not reject. */
export type RunCommand = (command: string, input: unknown) => Promise<CommandAnswer>

// The process that holds a data folder answers on a unix socket in it, which only the folder's owner may
// open. It begins with a line that says who it is. Whoever wants no more than that goes; who has a command
// sends it as one line of JSON, `{"command":"keys.list","arguments":{}}`, and gets one line of JSON back,
// `{"result":...}` or `{"error":"..."}`, after which the connection is closed.

const commandTimeoutMs = 10_000
const answerTimeoutMs = 30_000
const greetingTimeoutMs = 1_000
const longestCommand = 65_536
const longestGreeting = 200

const contending = ', which does not hold it yet'

/** Whether what {@link askOwner} gave is said by a process that wants the folder and does not hold it. */
export const isContender = (answer: string): boolean => answer.endsWith(contending)

/** Speaks the protocol on a connection. `run` resolves once the process is ready for commands. */
export const answerOwnerProtocol = (socket: Socket, run: Promise<RunCommand>, holdsFolder: boolean): void => {
  let received = ''
  socket.on('error', () => {})
  socket.setEncoding('utf8')
  socket.setTimeout(commandTimeoutMs, () => socket.destroy())
  socket.on('data', (chunk: string) => {
    received += chunk
    if (received.length > longestCommand) socket.destroy()
    const end = received.indexOf('\n')
    if (end < 0) return
    socket.removeAllListeners('data').resume()
    socket.setTimeout(0)
    answer(received.slice(0, end), run).then(
      (line) => socket.end(`${line}\n`),
      () => socket.destroy(),
    )
  })
  socket.write(`Flowpost, process ${process.pid}${holdsFolder ? '' : contending}\n`)
}

const answer = async (line: string, run: Promise<RunCommand>): Promise<string> => {
  const request = parse(line)
  if (request === undefined) return JSON.stringify({ error: 'A command is one line of JSON.' } satisfies CommandAnswer)
  return JSON.stringify(await (await run)(request.command, request.arguments))
}

const parse = (line: string): { command: string; arguments?: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'command' in value && typeof value.command === 'string'
      ? (value as { command: string })
      : undefined
  } catch {
    return undefined
  }
}

/** Asks the owner who it is; `undefined` when nobody listens. */
export const askOwner = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let greeting = ''
    let connected = false
    socket.setTimeout(greetingTimeoutMs, () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      connected = true
    })
    socket.on('data', (chunk: string) => {
      greeting += chunk
      if (greeting.includes('\n') || greeting.length > longestGreeting) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(connected ? greeting.split('\n', 1)[0]?.trim() || 'another process' : undefined))
  })

/**
 * Has the owner carry out a command.
 * @returns its answer; `undefined` when nobody has received the command.
 */
export const askOwnerTo = (path: string, command: string, input: unknown): Promise<CommandAnswer | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let received = ''
    socket.setTimeout(answerTimeoutMs, () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      socket.write(`${JSON.stringify({ command, arguments: input })}\n`)
    })
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      // Without a greeting it was on its way out, and has read nothing.
      if (received === '') return resolve(undefined)
      const [greeting = '', line = ''] = received.split('\n')
      resolve(parseAnswer(line) ?? { error: `${greeting} did not answer the command; it may have been carried out.` })
    })
  })

const parseAnswer = (line: string): CommandAnswer | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    const isAnswer = typeof value === 'object' && value !== null && ('result' in value || 'error' in value)
    return isAnswer ? (value as CommandAnswer) : undefined
  } catch {
    return undefined
  }
}
