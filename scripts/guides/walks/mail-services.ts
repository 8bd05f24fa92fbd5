import { expect } from 'vitest'
import { serverUrl } from '../server-terminal.ts'
import { jsonLines, sent, type Walk } from '../walk.ts'
import { sendFromProgram } from './chats.ts'

/** Sends through Mailgun with curl and with a program, and suppresses a recipient whose message bounces. */
export const followMailgun: Walk = async (context) => {
  const { page, reader, standIns } = context
  const { mailgun } = standIns
  const before = mailgun.accepted.length
  await reader.run(
    page.take('', {
      'SENDING_KEY=…': `SENDING_KEY=${mailgun.sendingKey}`,
      'SIGNING_KEY=…': `SIGNING_KEY=${mailgun.signingKey}`,
      'you@example.com': 'ada@example.com',
    }),
  )
  await reader.run(page.take('sh'))
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  await sendFromProgram(context)

  await reader.run(`PUBLIC_URL=${serverUrl}`)
  mailgun.addWebhook((await reader.run(page.take('sh'))).trim())
  const output = await reader.run(page.take('sh'))
  expect(output).toContain('"status":"bounced"')
  expect(jsonLines(output).at(-1).data).toMatchObject([{ target: 'nobody@mg.example.com', reason: 'bounce' }])
  expect(mailgun.accepted.slice(before).map(({ to, subject }) => [to, subject])).toEqual([
    ['ada@example.com', 'Invoice 42'],
    ['ada@example.com', 'Invoice 43'],
    ['nobody@mg.example.com', 'Invoice 44'],
  ])
}

/** Runs the tests of the guide's example provider, loads it into the server, sends through Postmark, and records a bounce. */
export const followCustomProvider: Walk = async ({ page, reader, standIns: { postmarkMessages } }) => {
  // Skips this block. Another test compares it with the source of the example provider.
  page.take('ts')
  const before = postmarkMessages.length
  expect(await reader.run(page.take(''))).toMatch(/Test Files +1 passed/)
  await reader.server.start(page.take(''))
  await reader.server.waitForOutput(/^ {2}loaded +postmark /m)
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  await reader.run(page.take('sh'))
  const [recorded, suppressions] = jsonLines(await reader.run(page.take('sh')))
  expect(recorded).toEqual({ result: 'recorded' })
  expect(suppressions.data).toMatchObject([{ target: 'ops@example.com', reason: 'bounce' }])
  expect(postmarkMessages.slice(before)).toMatchObject([{ To: 'ops@example.com', Subject: 'Invoice 42' }])
}
