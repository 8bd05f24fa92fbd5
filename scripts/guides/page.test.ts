import { expect, it } from 'vitest'
import { openPage } from './page.ts'

const path = 'docs/guides/discord.md'

it('fails at the end if a block of the page was not followed', () => {
  const page = openPage(path)
  expect(() => page.end()).toThrow('blocks of docs/guides/discord.md that the test has not used')
})

it('fails if the next block has another language', () => {
  expect(() => openPage(path).take('sh')).toThrow("expected a block in 'sh'")
})

it('replaces placeholders, and fails if the block lacks one', () => {
  const placeholder = 'https://discord.com/api/webhooks/…'
  expect(openPage(path).take('', { [placeholder]: 'https://discord.com/1' })).toBe('export DISCORD_WEBHOOK_URL=https://discord.com/1\n')
  expect(() => openPage(path).take('', { 'fp_…': 'fp_1' })).toThrow('expected the placeholder fp_…')
})

it('fails if the text of the page lacks a command', () => {
  expect(() => openPage(path).quote('npx pnpm start')).toThrow('expected the command npx pnpm start')
})
