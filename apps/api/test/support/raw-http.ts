import { connect } from 'node:net'

/** The response to {@link sendRaw}. */
export interface RawResponse {
  readonly status: number
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** All received bytes, decoded as Latin-1, for connections with several responses. */
  readonly text: string
  /** The time, in milliseconds, from the connection attempt to the end of the connection. */
  readonly tookMs: number
}

/** Bytes to write, or a pause in milliseconds. */
export type RawPart = string | Uint8Array | number

const parse = (text: string, tookMs: number): RawResponse => {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text, tookMs }
}

/** Writes raw bytes to a server. Reads until the server closes the connection, or until `waitMs` milliseconds have elapsed. */
export const sendRaw = (url: string, parts: RawPart | readonly RawPart[], waitMs = 500): Promise<RawResponse> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const startedMs = performance.now()
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const finish = () => resolve(parse(Buffer.concat(chunks).toString('latin1'), performance.now() - startedMs))
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server that rejects a request may reset the connection. The bytes received before that are returned.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      finish()
    })
    void (async () => {
      for (const part of Array.isArray(parts) ? parts : [parts]) {
        if (typeof part === 'number') await new Promise((wake) => setTimeout(wake, part))
        else if (socket.writable) socket.write(part)
      }
    })()
  })
