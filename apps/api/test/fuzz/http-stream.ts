/** One answer of a stream of them. */
export interface StreamedAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const endOfHead = '\r\n\r\n'
const brace = 0x7b

const chunkedBody = (bytes: Buffer, from: number): { body: Buffer; end: number } => {
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('A chunk without a size.')
    if (size === 0) return { body: Buffer.concat(chunks), end: lineEnd + 4 }
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

/**
 * Reads what a server has sent on one connection as the answers that it consists of.
 * @param isHead whether the request at this place was one of HEAD, whose answer has no body.
 * @throws Error for bytes that are no answer, or not a whole one.
 */
export const readAnswers = (bytes: Buffer, isHead: (index: number) => boolean): StreamedAnswer[] => {
  const answers: StreamedAnswer[] = []
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf(endOfHead, at)
    if (headEnd < 0) throw new Error(`The head of an answer has no end: ${bytes.toString('latin1', at, at + 200)}`)
    const [first = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error(`Not the first line of an answer: ${first.slice(0, 200)}`)
    at = headEnd + endOfHead.length
    if (status < 200) continue
    const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    // What is no HTTP has no method either, so its refusal has a body.
    const isEmpty = (isHead(answers.length) && bytes[at] !== brace) || status === 204 || status === 304
    const length = isEmpty ? 0 : Number(headers.get('content-length') ?? Number.NaN)
    if (headers.get('transfer-encoding') === 'chunked' && !isEmpty) {
      const { body, end } = chunkedBody(bytes, at)
      answers.push({ status, headers, body: body.toString() })
      at = end
      continue
    }
    if (Number.isNaN(length)) throw new Error(`An answer of unknown length: ${first}`)
    if (at + length > bytes.length) throw new Error(`An answer is not whole: ${first}`)
    answers.push({ status, headers, body: bytes.toString('utf8', at, at + length) })
    at += length
  }
  return answers
}
