/** A response received on a connection. */
export interface ParsedResponse {
  readonly status: number
  /** The headers, keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const endOfHead = '\r\n\r\n'
const brace = 0x7b

const chunkedBody = (bytes: Buffer, from: number): { body: Buffer; end: number } => {
  const chunks: Buffer[] = []
  for (let offset = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', offset)
    const size = Number.parseInt(bytes.toString('latin1', offset, lineEnd), 16)
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('A chunk has no size.')
    if (size === 0) return { body: Buffer.concat(chunks), end: lineEnd + 4 }
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    offset = lineEnd + 2 + size + 2
  }
}

/**
 * Parses the responses that a server has sent on one connection.
 * @param isHead returns whether the request at an index had the method HEAD, so that its response has no body.
 * @throws Error if a response is invalid or incomplete.
 */
export const parseResponses = (bytes: Buffer, isHead: (index: number) => boolean): ParsedResponse[] => {
  const responses: ParsedResponse[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const headEnd = bytes.indexOf(endOfHead, offset)
    if (headEnd < 0) throw new Error(`The head of a response has no end: ${bytes.toString('latin1', offset, offset + 200)}`)
    const [statusLine = '', ...lines] = bytes.toString('latin1', offset, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new Error(`Invalid status line: ${statusLine.slice(0, 200)}`)
    offset = headEnd + endOfHead.length
    if (status < 200) continue
    const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    // If the server cannot parse the request line, it does not know the method and sends a body.
    const isEmpty = (isHead(responses.length) && bytes[offset] !== brace) || status === 204 || status === 304
    const length = isEmpty ? 0 : Number(headers.get('content-length') ?? Number.NaN)
    if (headers.get('transfer-encoding') === 'chunked' && !isEmpty) {
      const { body, end } = chunkedBody(bytes, offset)
      responses.push({ status, headers, body: body.toString() })
      offset = end
      continue
    }
    if (Number.isNaN(length)) throw new Error(`A response has no length: ${statusLine}`)
    if (offset + length > bytes.length) throw new Error(`A response is incomplete: ${statusLine}`)
    responses.push({ status, headers, body: bytes.toString('utf8', offset, offset + length) })
    offset += length
  }
  return responses
}
