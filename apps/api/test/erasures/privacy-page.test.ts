import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startTestServer } from '../support/test-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const example = `${root}/examples/first-message/erase-recipient.ts`

it('contains the code of an example that erases a recipient', async () => {
  const page = await readFile(`${root}/docs/privacy.md`, 'utf8')
  const shown = /<!-- examples\/first-message\/erase-recipient\.ts -->\n```ts\n([\s\S]*?)```/.exec(page)?.[1]
  expect(shown).toBe(await readFile(example, 'utf8'))

  await using server = await startTestServer()
  const env = { ...process.env, FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: server.keys.alice }
  const { stdout } = await run(process.execPath, [example], { env })
  expect(stdout).toMatch(/^0 deliveries erased, proof: ers_\w+ erased:[0-9a-f-]{36} \d{4}-\S+\n$/)
})
