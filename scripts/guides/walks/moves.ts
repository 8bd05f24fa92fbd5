import { expect } from 'vitest'
import { jsonLines, saveBlock, type Walk } from '../walk.ts'

/** Imports an Apprise configuration, applies it, and sends through the imported providers. */
export const followMoveFromApprise: Walk = async ({ page, reader, standIns: { mail, slackPosts } }) => {
  const [mailsBefore, postsBefore] = [mail.received.length, slackPosts.length]
  await reader.run(page.take(''))
  const folder = await reader.enterNewFolder('imported')
  await reader.run(page.take('sh'))
  saveBlock(page, 'ini', folder, 'apprise.conf')
  expect(await reader.run(page.take('sh'))).toContain('line 3  Flowpost has no provider for telegram://.')
  await reader.run(page.take('sh'))
  expect(await reader.run(page.take(''))).toMatch(/slack:C024BE91L +ok/)
  await reader.run(page.take('sh'))
  const accepted = jsonLines(await reader.run(page.take('sh')))
  expect(accepted).toMatchObject([{ id: expect.stringMatching(/^ntf_/), subject: 'Disk of host-7' }])
  await expect.poll(() => mail.received.length - mailsBefore, { timeout: 20_000 }).toBe(2)
  await expect.poll(() => slackPosts.length - postsBefore, { timeout: 20_000 }).toBe(2)
  expect(mail.received.at(-1)).toMatchObject({ user: 'robot', to: 'ops@example.com', subject: 'Disk of host-7' })
  expect(slackPosts.at(-1)).toMatchObject({ channel: 'C024BE91L', text: 'Disk of host-7\nIt is 91 % full.' })
}

/** Runs the guide's program, which sends to a user's channels with Flowpost instead of Novu. */
export const followMoveFromNovu: Walk = async ({ page, reader }) => {
  await reader.run(page.take('sh'))
  await reader.run(page.take('sh'))
  // Skips the program that still uses Novu. `compiled-blocks.long.ts` compiles it.
  page.take('ts')
  const folder = await reader.enterNewFolder('program')
  await reader.run(page.take(''))
  saveBlock(page, 'js', folder, 'notify.mjs')
  expect(await reader.run(page.take('sh'))).toBe('sent C0123ABCD ada@example.com\n')
  expect(jsonLines(await reader.run(page.take('sh')))).toMatchObject([{ reference: 'user-7' }])
}

/**
 * Creates the project and the keys, and lists messages with the CLI. Skips the guide's programs, because the tests in
 * `examples/move-from-queue` run them.
 */
export const followMoveFromQueue: Walk = async ({ page, reader }) => {
  expect(jsonLines(await reader.run(page.take('sh')))).toMatchObject([{ key: 'mail' }, { mode: 'live' }, { mode: 'test' }])
  for (const _ of ['hand-over.ts', 'run-job.ts']) page.take('ts')
  await reader.run('cd ..')
  expect(await reader.run(page.take(''))).toContain('Invoice 42')
  page.take('ts')
}
