/** What an SMTP server needs to answer; nothing is checked and nothing is kept. */
export interface SmtpSession {
  /** Takes what the client has sent. */
  receive(chunk: Buffer): void
}

const endOfData = Buffer.from('\r\n.\r\n')

/**
 * One session of a server that accepts every message (RFC 5321): only as much of the protocol as a client needs to
 * go on, so that the sender is what a measurement measures.
 * @param reply Sends a line to the client.
 * @param onMessage Told of the receiver of each message, before the client is told that it was accepted.
 */
export const createSmtpSession = (reply: (line: string) => void, onMessage: (receiver: string) => void): SmtpSession => {
  let line = ''
  let receiver = ''
  let inData = false
  // The last bytes of the message so far: its end may be cut in two.
  let tail = Buffer.alloc(0)

  const command = (text: string): void => {
    const verb = text.slice(0, 4).toUpperCase()
    if (verb === 'RCPT') receiver = /<([^>]*)>/.exec(text)?.[1] ?? ''
    if (verb === 'DATA') {
      inData = true
      // An empty message ends with a dot on its first line.
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
    onMessage(receiver)
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
