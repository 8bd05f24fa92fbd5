import { describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../../test/fixtures.ts'
import { type Script, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { smtp } from './smtp.ts'

/** Delivers a message, with a user and a password, to a server with the given reply to EHLO. `logins` counts its AUTH commands. */
const deliver = async (EHLO: string, script: Script = {}) => {
  const server = await startScriptedSmtpServer({ EHLO, ...script })
  const settings = { host: '127.0.0.1', port: server.port, security: 'none', from: 'no-reply@sender.example', user: 'robot' }
  const outcome = await deliverOnce(smtp, { settings, secrets: { password: 'horse battery' }, trusted: true }, createMessage())
  await server.close()
  return { ...outcome, logins: server.commands.filter((command) => command.startsWith('AUTH')).length }
}

describe('the password', () => {
  it.each(['AUTH XOAUTH2', 'AUTH=XOAUTH2'])('is not sent to a server that offers only %s', async (extension) => {
    const { error, logins } = await deliver(`250-test\r\n250 ${extension}`)
    expect(logins).toBe(0)
    expect(error).toMatchObject({ kind: 'credential', code: 'authentication_not_offered', retryable: false })
  })

  it.each(['250 AUTH XOAUTH2 PLAIN', '250-AUTH=XOAUTH2\r\n250 AUTH PLAIN'])('is sent to a server that replies %j', async (extensions) => {
    const { result, logins } = await deliver(`250-test\r\n${extensions}`)
    expect(result).toBeDefined()
    expect(logins).toBe(1)
  })
})

it('explains that the server does not allow logins', async () => {
  const { error } = await deliver('250-test\r\n250 AUTH PLAIN', { AUTH: '503 5.5.1 Authentication not enabled' })
  expect(error?.detail).toBe('The SMTP server does not allow logins. The server replied 503 5.5.1.')
})
