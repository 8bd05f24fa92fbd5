import { expect } from 'vitest'
import { publicUrl } from '../stand-ins.ts'
import { jsonLines, saveBlock, sent, type Walk } from '../walk.ts'

/** Starts the server with a token, checks a flow and posts a message. */
export const followSlack: Walk = async ({ page, reader, standIns: { slackPosts } }) => {
  // Skips the app manifest, which the reader enters on Slack's website.
  page.take('json')
  const before = slackPosts.length
  await reader.server.start(page.take('', { 'xoxb-…': 'xoxb-test' }))
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject({ ok: true })
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  expect(slackPosts.slice(before)).toMatchObject([{ channel: 'C024BE91L', text: '*Invoice 42*\nIt is ready.' }])
}

/** Installs the SDK in a new folder, saves the page's program there, and runs it. */
export const sendFromProgram: Walk = async ({ page, reader }) => {
  const folder = await reader.enterNewFolder('program')
  await reader.run(page.take(''))
  saveBlock(page, 'js', folder, 'send.mjs')
  expect(await reader.run(page.take('sh'))).toBe('sent\n')
}

/** Stores a webhook URL, checks the flow, and posts with curl and with a program. */
export const followDiscord: Walk = async (context) => {
  const { page, reader, standIns } = context
  const { posted, webhookUrl } = standIns.discord
  const before = posted.length
  await reader.run(page.take('', { 'https://discord.com/api/webhooks/…': publicUrl(webhookUrl, 'discord.com') }))
  await reader.run(page.take('sh'))
  const [check, completed] = jsonLines(await reader.run(page.take('sh')))
  expect(check).toMatchObject({ ok: true, checks: [{ detail: 'The webhook is named Flowpost.' }] })
  expect(completed).toMatchObject(sent)
  await sendFromProgram(context)
  const contents = posted.slice(before).map(({ content }) => content)
  expect(contents).toEqual(['**Invoice 42**\nIt is ready.', '**Disk of host-7**\nIt is 91 % full.'])
}

/** Stores a workflow URL, checks the flow, and sends messages with curl and with a program. */
export const followTeams: Walk = async (context) => {
  const { page, reader, standIns } = context
  const { accepted, workflowUrl } = standIns.teams
  const before = accepted.length
  await reader.run(page.take('', { 'https://…': publicUrl(workflowUrl, 'prod-01.westeurope.logic.azure.com') }))
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject({ ok: true, checks: [{ code: 'not_tried' }] })
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject(sent)
  await sendFromProgram(context)
  expect(accepted.slice(before)).toEqual([JSON.parse(page.take('json')), expect.anything()])
}
