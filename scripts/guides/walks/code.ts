import { expect } from 'vitest'
import { startProgram } from '../program.ts'
import { saveBlock, type Walk } from '../walk.ts'

/** Applies a config file, and detects a change that was made with the API instead of the file. */
export const followSettingsAsCode: Walk = async ({ page, reader }) => {
  await reader.run(page.take('sh'))
  const folder = (await reader.run('pwd')).trim()
  saveBlock(page, 'ts', folder, 'flowpost.config.ts')
  const expectOutput = async (exitCode: number, ...texts: string[]) => {
    const output = await reader.run(page.take('sh'), exitCode)
    for (const text of texts) expect(output).toContain(text)
  }
  await expectOutput(0, 'flowpost.config.ts is valid.')
  await expectOutput(2, page.quote('4 to create, 0 to change, 0 to delete.'))
  await expectOutput(0, 'Applied.\n', 'The server matches the file.\n')
  await expectOutput(0, ' is sent.')
  await expectOutput(2, '"ops@example.com" → "team@example.com"', '0 to create, 1 to change, 0 to delete.')
  await expectOutput(0, 'Applied.\n')
  await expectOutput(0, '"active":false')
  await expectOutput(2, 'The server differs from the file.', 'active: false → true')
  await expectOutput(0, 'pulled.config.ts with 2 flows.', 'Applied.\n', 'The server matches the file.\n')
  await expectOutput(0, 'flowpost.lock.json')
  await expectOutput(0, 'fp_')
}

/** Installs the mock, runs the guide's tests, and starts the mock as a server. */
export const followTesting: Walk = async ({ page, reader }) => {
  const folder = await reader.enterNewFolder('tested')
  // The page assumes that the reader already has a program with tests.
  await reader.run('npm init --yes && npm install --save-dev vitest')
  await reader.run(page.take('sh'))
  for (const name of ['first', 'failures']) saveBlock(page, 'ts', folder, `${name}.test.ts`)
  const commands = page.take('')
  saveBlock(page, 'ts', folder, 'test-key.test.ts')
  expect(await reader.run('npx vitest run')).toMatch(/Tests +3 passed \(3\)/)

  await using mock = startProgram(commands, folder, reader.env)
  const headers = { Authorization: 'Bearer fp_test' }
  const readStatus = () =>
    fetch('http://127.0.0.1:4010/v1/settings/projects', { headers }).then(
      ({ status }) => status,
      () => 0,
    )
  await mock.waitUntil(async () => (await readStatus()) === 200)
}
