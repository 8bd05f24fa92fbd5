import { expect, it } from 'vitest'
import { formatCommand } from './shell-command.ts'

it.each([
  ['linux', ['flowpost', 'apply', './billing.config.ts'], 'flowpost apply ./billing.config.ts'],
  ['linux', ['apply', "it's $(mine).ts", ''], String.raw`apply 'it'\''s $(mine).ts' ''`],
  ['win32', ['apply', 'C:\\My files\\a.ts'], 'apply "C:\\My files\\a.ts"'],
] as const)('formats a command for %s', (platform, words, command) => {
  expect(formatCommand(words, platform)).toBe(command)
})
