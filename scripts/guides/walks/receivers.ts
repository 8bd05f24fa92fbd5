import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openShell } from '../../../apps/api/test/support/shell.ts'
import { startProgram } from '../program.ts'
import type { Reader } from '../reader.ts'
import { jsonLines, saveBlock, sent, type Walk } from '../walk.ts'

const receiverUrl = 'http://127.0.0.1:8080/'

const isListening = () =>
  fetch(receiverUrl, { method: 'POST', body: '{}' }).then(
    ({ status }) => status === 400,
    () => false,
  )

/** Opens another terminal, creates a folder beside the repository, and installs packages there. Returns the folder. */
const installInOtherTerminal = async ({ repository, env }: Reader, commands: string): Promise<string> => {
  const folder = join(repository, '..', 'receiver')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  await using shell = openShell(folder, env)
  expect(await shell.run(commands)).toMatchObject({ code: 0 })
  return folder
}

/** Receives pushed events, reads the feed, and forwards events with the command line. */
export const followEvents: Walk = async ({ page, reader }) => {
  await reader.server.start(page.take(''))
  const secret = (await reader.run(page.take('sh'))).trim().split('\n').at(-1) ?? ''
  expect(secret).toMatch(/^whsec_/)

  const folder = await installInOtherTerminal(reader, page.take(''))
  saveBlock(page, 'js', folder, 'receiver.mjs')
  await using receiver = startProgram(page.take('', { 'whsec_…': secret }), folder, reader.env)
  await receiver.waitUntil(isListening)
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject({ outcome: 'delivered' })
  await receiver.waitUntil(() => receiver.output.includes('test.ping'))
  const send = page.take('sh')
  const feed = jsonLines(await reader.run(send)).at(-1)
  expect(feed.data).toMatchObject([{ type: 'notification.settled', data: { reference: 'invoice-42', status: 'sent' } }])
  await receiver.waitUntil(() => receiver.output.includes('notification.settled invoice-42 sent\n'))

  const [, url = '', apiKey = ''] = /^(\S+) (\S+)$/m.exec(await reader.run('echo "$FLOWPOST_BASE_URL $FLOWPOST_API_KEY"')) ?? []
  const variables = { ...reader.env, FLOWPOST_BASE_URL: url, FLOWPOST_API_KEY: apiKey }
  await using listener = startProgram(page.take('', { 'whsec_…': secret }), folder, variables)
  await listener.waitUntil(async () => {
    await reader.run(send)
    return / 204 after /.test(listener.output)
  })
}

/** Verifies the signature of a webhook. */
export const followWebhooks: Walk = async ({ page, reader }) => {
  const folder = await installInOtherTerminal(reader, page.take(''))
  saveBlock(page, 'js', folder, 'receiver.mjs')
  await using receiver = startProgram(page.take(''), folder, reader.env)
  await receiver.waitUntil(isListening)
  const [, secret = ''] = /^(whsec_\S+)$/m.exec(receiver.output) ?? []
  await reader.server.start(page.take(''))
  await reader.run(`SIGNING_SECRET='${secret}'`)
  await reader.run(page.take('sh'))
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  await receiver.waitUntil(() => receiver.output.includes('billing: Invoice 42: It is ready.\n'))
  // Skips the last block, which only shows the body of a request.
  page.take('json')
}
