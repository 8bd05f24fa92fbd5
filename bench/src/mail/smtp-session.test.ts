import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSmtpSession } from './smtp-session.ts'

const talk = (chunks: readonly string[]) => {
  const replies: string[] = []
  const recipients: string[] = []
  const session = createSmtpSession(
    (line) => replies.push(line.slice(0, 3)),
    (recipient) => recipients.push(recipient),
  )
  for (const chunk of chunks) session.receive(Buffer.from(chunk))
  return { replies, recipients }
}

const message = (to: string, text: string) => `MAIL FROM:<a@example.com>\r\nRCPT TO:<${to}>\r\nDATA\r\n${text}\r\n.\r\n`
const conversation = `EHLO me\r\n${message('one@example.com', 'Subject: x\r\n\r\n..dots\r\nand lines')}${message('two@example.com', '')}QUIT\r\n`

it('accepts every message and reports its recipient, however the network splits the conversation', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(conversation.length), { maxLength: 20 }), (cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), conversation.length]
      const chunks = edges.slice(1).map((edge, index) => conversation.slice(edges[index], edge))
      expect(talk(chunks)).toEqual({
        replies: ['250', '250', '250', '354', '250', '250', '250', '354', '250', '221'],
        recipients: ['one@example.com', 'two@example.com'],
      })
    }),
  )
})

it('does not accept a message before its end', () => {
  const { replies, recipients } = talk([message('one@example.com', 'text').slice(0, -3)])
  expect(replies).toEqual(['250', '250', '354'])
  expect(recipients).toEqual([])
})

it('does not read commands in a message body', () => {
  expect(talk([message('one@example.com', 'RCPT TO:<other@example.com>\r\nQUIT')]).recipients).toEqual(['one@example.com'])
})
