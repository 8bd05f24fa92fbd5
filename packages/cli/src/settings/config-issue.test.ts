import { expect, it } from 'vitest'
import { type ConfigIssue, checkText, createChecker } from './config-issue.ts'

it.each([
  ['🚀🚀🚀', []],
  ['🚀🚀🚀🚀', ['has 4 characters; at most 3 are permitted.']],
  ['', ['must not be empty.']],
  [undefined, ['is required.']],
  [null, ['must be a string.']],
])('a text of at most 3 characters is checked: %j', (value, messages) => {
  const issues: ConfigIssue[] = []
  checkText(createChecker(value, issues), 3)
  expect(issues.map(({ message }) => message)).toEqual(messages)
})
