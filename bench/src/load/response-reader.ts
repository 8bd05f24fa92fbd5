const headEnd = '\r\n\r\n'
const lengthHeader = /\r\ncontent-length: *(\d+)/i

/**
 * Creates a function that reads HTTP/1.1 responses from the chunks of a connection. After the last byte of each
 * response, it calls `onResponse` with the status. It supports only responses with a `Content-Length` or without a
 * body, and therefore takes far less CPU time than a complete client. For any other response, such as a chunked one, it
 * throws an Error.
 */
export const createResponseReader = (onResponse: (status: number) => void): ((chunk: Buffer) => void) => {
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
        // In Latin-1, one byte is one character, so an index in the text is also an index in the bytes.
        const before = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf(headEnd)
        if (end < 0) return
        status = statusOf(head)
        missingBytes = bodyBytes(head.slice(0, end + 2), status)
        at += end + headEnd.length - before
        head = ''
      }
      if (missingBytes === 0) onResponse(status)
    }
  }
}

const statusOf = (head: string): number => {
  const status = Number(head.slice(9, 12))
  if (!head.startsWith('HTTP/1.1 ') || !Number.isInteger(status)) throw new Error(`Not an HTTP/1.1 response: ${head.slice(0, 40)}`)
  return status
}

const bodyBytes = (head: string, status: number): number => {
  if (status === 204 || status === 304) return 0
  const length = lengthHeader.exec(head)?.[1]
  if (length === undefined) throw new Error('The response has no Content-Length.')
  return Number(length)
}
