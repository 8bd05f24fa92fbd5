import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()
const client = mock.client()

const signingSecret = (letter: string) => `whsec_${letter.repeat(32)}`
const env = { OPS_URL: 'https://example.com/new', SIGNING_SECRET: signingSecret('C'), SMTP_PASSWORD: 'hunter2' }

let count = 0

/**
 * Creates a project with an integration, and writes the project's config file. The integration has the fields `stored` on the
 * server, and the fields `listed` in the file.
 */
const prepare = async (sourceType: 'webhook' | 'smtp', stored: object, listed: object) => {
  const key = `unlisted-${++count}`
  const project = mock.seed.project({ key, name: key })
  await client.integrations.put(project.id, sourceType, stored as never)
  const config = { project: { key, name: key }, flows: {}, integrations: { [sourceType]: listed } }
  writeFileSync(join(home, 'flowpost.config.ts'), `export default ${JSON.stringify(config)}`)
  return project
}

const prepareWebhook = () =>
  prepare(
    'webhook',
    {
      settings: {},
      secrets: {
        urls: { ops: 'https://example.com/old' },
        signing_secret: signingSecret('A'),
        previous_signing_secret: signingSecret('B'),
      },
    },
    { secrets: { urls: { ops: { env: 'OPS_URL' } }, signing_secret: { env: 'SIGNING_SECRET' } } },
  )

const rejection =
  'body /integrations/webhook/secrets/previous_signing_secret: The file does not list this secret, but the server has stored it. These changes may send the secret to another destination, so the server requires it again. List it in the file, or remove it from the server, or apply with --keep-secrets.'

describe('a stored secret that the file does not list', () => {
  it('is reported by plan and apply if the server requires it again', async () => {
    await prepareWebhook()
    const expected = { code: 1, stderr: expect.stringContaining(rejection) }
    expect(await run(['plan'], { env })).toMatchObject(expected)
    // `apply` reports the error before it asks for confirmation, so the test provides no answer.
    expect(await run(['apply'], { env })).toMatchObject(expected)
    expect(await run(['apply', '--yes'], { env })).toMatchObject(expected)
  })

  it('does not concern a plan without the variables, or an apply that keeps the secrets', async () => {
    await prepareWebhook()
    expect(await run(['plan'])).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' })
    expect(await run(['drift'], { env })).toMatchObject({ code: 0 })
    expect(await run(['apply', '--yes', '--keep-secrets'], { env })).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  })

  it('does not prevent changes after it was removed from the integration', async () => {
    const project = await prepareWebhook()
    await client.integrations.put(project.id, 'webhook', { settings: {}, secrets: { previous_signing_secret: null } })
    expect(await run(['plan'], { env })).toMatchObject({ code: 0 })
    expect(await run(['apply'], { env, answers: [true] })).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied.') })
  })

  it('cannot be kept if a setting changes where it is sent', async () => {
    await prepare(
      'smtp',
      { settings: { host: 'smtp.example.com', user: 'billing', from: 'billing@example.com' }, secrets: { password: 'hunter2' } },
      { settings: { host: 'smtp.example.net', user: 'billing', from: 'billing@example.com' } },
    )
    const { code, stderr } = await run(['plan'], { env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('body /integrations/smtp/secrets/password: The file does not list this secret'),
    ])
    expect(stderr).not.toContain('--keep-secrets')
  })
})
