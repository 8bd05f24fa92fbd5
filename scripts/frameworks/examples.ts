// The examples from the README of @flowpost/testing, as files for the test frameworks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages/published.ts'

const readme = readFileSync(join(root, 'packages/testing/README.md'), 'utf8')

const find = (pattern: RegExp): string => {
  const [, found] = pattern.exec(readme) ?? []
  if (found === undefined) throw new Error(`The README of @flowpost/testing does not contain ${pattern}.`)
  return found
}

const block = (name: string): string => find(new RegExp(`<!-- ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\`\n`))

/** The README's first test, for Vitest. */
export const vitestTest = block('first-test.test.ts')

/** The example for `node:test`. It is also valid JavaScript, because it contains no types. */
export const nodeTest = block('node-test.ts')

/** The line of a Jest configuration that adds the matchers. */
export const jestSetting = find(/`(setupFilesAfterEnv: [^`]+)`/)

/** The README's first test, for Jest. It needs no Vitest imports, because Jest defines the same functions as globals. */
export const jestTest = vitestTest.replace(/^import .* from 'vitest'\n/m, '').replace(/^import '@flowpost\/testing\/vitest'\n/m, '')

/** Replaces the imports of a test with `require`. */
export const toCommonJs = (source: string): string => source.replace(/^import (.*) from ('.*')$/gm, 'const $1 = require($2)')

/** Returns a program that starts with `imports`. It compiles only if these imports add the matchers to the types of `expect`. */
export const typesProgram = (imports: string): string => `${imports}
import { createFlowpostMock } from '@flowpost/testing'

const mock = createFlowpostMock()
expect(mock).toHaveSent()
expect(mock).not.toHaveSentTimes(1, { flow: mock.seed.flow(), body: /ready/ })
// @ts-expect-error: \`color\` is not a field of a message.
expect(mock).toHaveSent({ color: 'red' })
// @ts-expect-error: the number of messages is missing.
expect(mock).toHaveSentTimes()
`
