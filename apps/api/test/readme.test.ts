import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

const readme = () => readFile(`${root}/README.md`, 'utf8')
const example = `${root}/examples/first-message/send.ts`

const environmentOf = (server: TestServer) => ({ ...process.env, FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: server.keys.alice })

describe('the README', () => {
  it('shows the example that is in the repository, and that sends a message', async () => {
    const shown = /<!-- examples\/first-message\/send\.ts -->\n```ts\n([\s\S]*?)```/.exec(await readme())?.[1]
    expect(shown).toBe(await readFile(example, 'utf8'))

    await using server = await startTestServer()
    for (const _ of ['once', 'again']) {
      const { stdout } = await run(process.execPath, [example], { env: environmentOf(server) })
      expect(stdout).toBe('ops@example.com: sent\n')
    }
  })

  it('shows commands of curl that send a message', async ({ skip }) => {
    if (
      await run('curl', ['--version']).then(
        () => false,
        () => true,
      )
    )
      skip('curl is not on this machine.')
    const block = /With curl:\n\n```sh\n([\s\S]*?)```/.exec(await readme())?.[1] ?? ''
    const commands = block.replace(/^export .*$/gm, '')
    await using server = await startTestServer()
    // The welcome of the server makes a project of that name.
    await server.client().projects.create({ name: 'billing' })
    await run('sh', ['-euc', commands], { env: environmentOf(server) })

    const { data } = await server.client().notifications.list()
    expect(data).toMatchObject([{ subject: 'Invoice 42' }])
  })
})
