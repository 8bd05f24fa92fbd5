const headEnd = '\r\n\r\n'
const lengthHeader = /\r\ncontent-length: *(\d+)/i

/**
 * Reads HTTP/1.1 answers from the chunks of a connection and tells the status of each once its last byte is there.
 * It knows what both sides of a comparison answer with, a `Content-Length` or no body, and nothing else; reading only
 * that costs a fraction of what a whole client costs, and leaves the processor to what is measured.
 * @throws Error for an answer of another form, as a chunked one.
 */
export const createResponseReader = (onAnswer: (status: number) => void): ((chunk: Buffer) => void) => {
  let head = ''
  let status = 0
  let missingBytes = 0

  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (missingBytes > 0) {
        const taken = Math.min(missingBytes, chunk.length - at)
        missingBytes -= taken
        at += taken
      } else {
        // One byte is one character, so positions in the text are positions in the chunk.
        const before = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf(headEnd)
        if (end < 0) return
        status = statusOf(head)
        missingBytes = bodyBytes(head.slice(0, end + 2), status)
        at += end + headEnd.length - before
        head = ''
      }
      if (missingBytes === 0) onAnswer(status)
    }
  }
}

const statusOf = (head: string): number => {
  const status = Number(head.slice(9, 12))
  if (!head.startsWith('HTTP/1.1 ') || !Number.isInteger(status)) throw new Error(`This is no answer of HTTP/1.1: ${head.slice(0, 40)}`)
  return status
}

const bodyBytes = (head: string, status: number): number => {
  if (status === 204 || status === 304) return 0
  const length = lengthHeader.exec(head)?.[1]
  if (length === undefined) throw new Error('The answer does not say how long it is.')
  return Number(length)
}
