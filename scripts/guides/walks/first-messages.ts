import { expect } from 'vitest'
import { jsonLines, sent, type Walk } from '../walk.ts'

/** Sends a message with curl and with TypeScript, and looks for it in the outbox. */
export const followGetStarted: Walk = async ({ page, reader }) => {
  // `openReader` has already followed these three blocks.
  for (const language of ['sh', 'text', 'sh']) page.take(language)
  expect(jsonLines(reader.firstOutput).at(-1)).toMatchObject({ status: 'sent', deliveries: [{ captured: true }] })
  const [, outbox = ''] = await reader.server.waitForOutput(/^ {2}outbox +(\S+)$/m)
  // The link sets a cookie and redirects to the outbox. Unlike a browser, `fetch` stores no cookies, so the next request sends
  // the cookie explicitly.
  const opened = await fetch(outbox, { redirect: 'manual' })
  const Cookie = opened.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
  const messages = await (await fetch(new URL('/outbox/', outbox), { headers: { Cookie } })).text()
  for (const text of ['Invoice 42', 'ops@example.com']) expect(messages).toContain(text)

  const output = await reader.run(page.quote('npx pnpm --filter @flowpost/example-first-message start'))
  expect(output).toContain(`${page.quote('ops@example.com: captured')}\n`)
  // Skips this block. Another test compares it with the program that the command above runs.
  page.take('ts')
}

/** Sends a message twice with one idempotency key. */
export const followIdempotency: Walk = async ({ page, reader }) => {
  const [first, second, ...others] = (await reader.run(page.take('sh'))).trim().split('\n')
  expect(first).toMatch(/^ntf_/)
  expect([second, others]).toEqual([first, []])
  // Skips this block: it is a line for the reader's own program, which this test does not have. `compiled-blocks.long.ts`
  // compiles the block.
  page.take('ts')
}

/** Checks a flow, and sends an email through a mail server that supports STARTTLS and requires a password. */
export const followSmtp: Walk = async ({ page, reader, standIns: { mail } }) => {
  const before = mail.received.length
  await reader.server.start(page.take(''))
  await reader.server.waitForOutput(/^ {2}smtp +sent$/m)
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject({ ok: true })
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  expect(mail.received.slice(before)).toMatchObject([
    { user: 'user', password: 'password', from: 'billing@example.com', to: 'ops@example.com', subject: 'Invoice 42' },
  ])
}
