import { connect, type Socket } from 'node:net'

/** A command's result or error message. */
export type CommandResponse = { readonly result: unknown } | { readonly error: string }

/** Runs a command that an operator sent. Never rejects. */
export type RunCommand = (command: string, input: unknown) => Promise<CommandResponse>

// The process that holds a data folder listens on a Unix socket in that folder. Only the folder's owner can open the
// socket. Each connection starts with a greeting, a line that names the process. A client may then send a command as
// one line of JSON, `{"command":"keys.list","arguments":{}}`. The response is one line of JSON, `{"result":...}` or
// `{"error":"..."}`, after which the connection is closed.

const commandTimeoutMs = 10_000
const responseTimeoutMs = 30_000
const greetingTimeoutMs = 1_000
const maxCommandLength = 65_536
const maxGreetingLength = 200

const contending = ', which is still trying to lock it'

/** Returns whether a greeting comes from a process that is still trying to lock the folder. */
export const isContender = (greeting: string): boolean => greeting.endsWith(contending)

/** Serves one connection. Once the process is ready for commands, `run` resolves to the function that runs them. */
export const serveConnection = (socket: Socket, run: Promise<RunCommand>, holdsFolder: boolean): void => {
  let received = ''
  socket.on('error', () => {})
  socket.setEncoding('utf8')
  socket.setTimeout(commandTimeoutMs, () => socket.destroy())
  socket.on('data', (chunk: string) => {
    received += chunk
    if (received.length > maxCommandLength) socket.destroy()
    const end = received.indexOf('\n')
    if (end < 0) return
    socket.removeAllListeners('data').resume()
    socket.setTimeout(0)
    respond(received.slice(0, end), run).then(
      (line) => socket.end(`${line}\n`),
      () => socket.destroy(),
    )
  })
  socket.write(`Flowpost, process ${process.pid}${holdsFolder ? '' : contending}\n`)
}

const respond = async (line: string, run: Promise<RunCommand>): Promise<string> => {
  const request = parse(line)
  if (request === undefined) return JSON.stringify({ error: 'A command must be one line of JSON.' } satisfies CommandResponse)
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

const isAccessDenied = ({ code }: NodeJS.ErrnoException): boolean => code === 'EACCES' || code === 'EPERM'

/** The advice for a socket that another user's process created. This process cannot tell whether that process still runs. */
const removalAdvice = 'If no Flowpost process uses this folder, remove the file.'

const otherUser = 'a process of another user'

/**
 * Returns advice to append to an error message if the socket belongs to another user. Returns an empty string if it does not.
 * @param greeting the result of {@link readGreeting} for the socket.
 */
export const adviceOn = (greeting: string): string => (greeting.startsWith(otherUser) ? ` ${removalAdvice}` : '')

/** Describes the process that may be listening even though `connect` failed; `undefined` if no process listens. */
const describeListener = (error: NodeJS.ErrnoException, path: string): string | undefined => {
  if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return undefined
  return isAccessDenied(error) ? `${otherUser} (its socket file: ${path})` : 'another process'
}

/**
 * Returns the greeting of the process that listens on the socket; `undefined` if no process listens. If access to the socket is
 * denied or no greeting arrives within a second, returns a phrase for error messages instead, such as `another process`.
 */
export const readGreeting = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let greeting = ''
    let listener: string | undefined = 'another process'
    socket.setTimeout(greetingTimeoutMs, () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      greeting += chunk
      if (greeting.includes('\n') || greeting.length > maxGreetingLength) socket.destroy()
    })
    socket.on('error', (error) => {
      listener = describeListener(error, path)
    })
    socket.on('close', () => resolve(greeting.split('\n', 1)[0]?.trim() || listener))
  })

/**
 * Sends a command to the process that listens on the socket.
 * @param timeoutMs how long to wait for the response, in milliseconds. @default 30,000
 * @returns the response, or an error if this process is not allowed to open the socket; `undefined` if no process has received the command.
 */
export const sendCommand = (
  path: string,
  command: string,
  input: unknown,
  timeoutMs = responseTimeoutMs,
): Promise<CommandResponse | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let received = ''
    let accessDenied = false
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      socket.write(`${JSON.stringify({ command, arguments: input })}\n`)
    })
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', (error) => {
      accessDenied = isAccessDenied(error)
    })
    socket.on('close', () => {
      if (accessDenied)
        return resolve({
          error: `Access to the control socket ${path} is denied. Run the command as the user that runs the server. ${removalAdvice}`,
        })
      // A missing greeting means that the process was exiting and has not read the command.
      if (received === '') return resolve(undefined)
      const [greeting = '', line = ''] = received.split('\n')
      resolve(parseResponse(line) ?? { error: `${greeting} did not respond to the command. The command may still have been carried out.` })
    })
  })

const parseResponse = (line: string): CommandResponse | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    const isResponse = typeof value === 'object' && value !== null && ('result' in value || 'error' in value)
    return isResponse ? (value as CommandResponse) : undefined
  } catch {
    return undefined
  }
}
