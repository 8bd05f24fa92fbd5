/** The server side of an SMTP connection. It neither checks nor stores messages. */
export interface SmtpSession {
  /** Handles bytes from the client. */
  receive(chunk: Buffer): void
}

const endOfData = Buffer.from('\r\n.\r\n')

/**
 * Creates the session of an SMTP server (RFC 5321) that accepts every message. It implements only what a client needs, so
 * that the sender is the bottleneck.
 * @param reply sends a line to the client.
 * @param onMessage called with the recipient of each message, before the reply that accepts the message.
 */
export const createSmtpSession = (reply: (line: string) => void, onMessage: (recipient: string) => void): SmtpSession => {
  let line = ''
  let recipient = ''
  let inData = false
  // Keeps the last bytes of the previous chunk, because `endOfData` may be split across two chunks.
  let tail = Buffer.alloc(0)

  const command = (text: string): void => {
    const verb = text.slice(0, 4).toUpperCase()
    if (verb === 'RCPT') recipient = /<([^>]*)>/.exec(text)?.[1] ?? ''
    if (verb === 'DATA') {
      inData = true
      // For an empty message, the client sends only `.\r\n`. `tail` provides the line break with which `endOfData` starts.
      tail = Buffer.from('\r\n')
      reply('354 Go ahead')
    } else if (verb === 'EHLO') reply('250-sink\r\n250 8BITMIME')
    else if (verb === 'QUIT') reply('221 Bye')
    else reply('250 OK')
  }

  const takeData = (chunk: Buffer): Buffer => {
    const seen = Buffer.concat([tail, chunk])
    const end = seen.indexOf(endOfData)
    if (end < 0) {
      tail = seen.subarray(-(endOfData.length - 1))
      return Buffer.alloc(0)
    }
    inData = false
    onMessage(recipient)
    reply('250 Accepted')
    return seen.subarray(end + endOfData.length)
  }

  const takeCommands = (chunk: Buffer): Buffer => {
    const end = chunk.indexOf(10)
    if (end < 0) {
      line += chunk.toString('latin1')
      return Buffer.alloc(0)
    }
    const text = line + chunk.toString('latin1', 0, end)
    line = ''
    command(text)
    return chunk.subarray(end + 1)
  }

  return {
    receive: (chunk) => {
      for (let rest = chunk; rest.length > 0; ) rest = inData ? takeData(rest) : takeCommands(rest)
    },
  }
}
