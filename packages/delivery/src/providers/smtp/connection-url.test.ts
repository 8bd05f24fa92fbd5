import { smtpDescription } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import { parseSmtpUrl } from './connection-url.ts'

const from = 'Flowpost <no-reply@example.com>'

describe('parseSmtpUrl', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', security: 'starttls' }],
    ['smtp://mail.example.com:2525/', { host: 'mail.example.com', port: 2525, security: 'starttls' }],
    ['smtp://mail.example.com:587?requireTLS=true', { host: 'mail.example.com', port: 587, security: 'starttls' }],
    ['smtp://mail.example.com?requireTLS=false', { host: 'mail.example.com', security: 'none' }],
    ['smtps://mail.example.com', { host: 'mail.example.com', security: 'tls' }],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, security: 'none' }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, security: 'none' }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025, security: 'none' }],
    ['smtp://localhost:1025?requireTLS=true', { host: 'localhost', port: 1025, security: 'starttls' }],
    ['smtp://10.0.0.5', { host: '10.0.0.5', security: 'starttls' }],
  ])('parses %s', (url, settings) => {
    expect(parseSmtpUrl(url, from)).toEqual({ settings: { ...settings, from }, secrets: {}, trusted: true })
  })

  it('decodes user and password', () => {
    expect(parseSmtpUrl('smtp://rob%40example.com:p%2Fa%3As%25s@mail.example.com', from)).toMatchObject({
      settings: { user: 'rob@example.com' },
      secrets: { password: 'p/a:s%s' },
    })
  })

  it.each([
    ['http://mail.example.com'],
    ['mail.example.com:587'],
    [''],
    ['smtp://'],
    ['smtp://user:top-secret/x@mail.example.com'],
    ['smtp://user:top-secret#x@mail.example.com'],
    ['smtp://user@mail.example.com'],
    ['smtp://:top-secret@mail.example.com'],
    ['smtp://user:top-secret%@mail.example.com'],
    ['smtp://user:top-secret@mail.example.com?pool=true'],
    ['smtp://user:top-secret@mail.example.com?requireTLS=no'],
    ['smtps://user:top-secret@mail.example.com?pool=true'],
    ['smtps://user:top-secret@mail.example.com?requireTLS=no'],
    ['smtp://user:top-secret@mail.example.com?tls.rejectUnauthorized=false'],
    ['smtp://user:top-secret@mail_x.example.com'],
    ['smtp://user:top-secret%0D%0AQUIT@mail.example.com/path'],
    ['smtp://us%0D%0Aer:top-secret@mail.example.com'],
    ['smtp://user:top-secret@mail.example.com:0'],
    ['smtp://user:25?top-secret@mail.example.com'],
    [`smtp://user:top-secret${'x'.repeat(4_096)}@mail.example.com`],
  ])('rejects %s without revealing the password', (url) => {
    expect(() => parseSmtpUrl(url, from)).toThrow(TypeError)
    expect(() => parseSmtpUrl(url, from)).not.toThrow(/top-secret/)
  })

  it('rejects an invalid sender', () => {
    expect(() => parseSmtpUrl('smtp://localhost', 'Flowpost')).toThrow(/The sender is invalid\. Must be an email address/)
  })
})

describe("a tenant's settings", () => {
  it('allow unencrypted connections only to loopback hosts', () => {
    expect(smtpDescription.settings.safeParse({ host: 'localhost', security: 'none', from }).success).toBe(true)
    expect(smtpDescription.settings.safeParse({ host: 'mail.example.com', security: 'none', from }).error?.issues).toMatchObject([
      { path: ['security'] },
    ])
    expect(smtpDescription.settings.parse({ host: 'mail.example.com', from }).security).toBe('starttls')
  })

  it.each([
    { host: 'mail.example.com\r\nX' },
    { host: 'mail.example.com:25' },
    { user: 'a\r\nMAIL FROM:<x>' },
    { from: 'a@example.com\r\nBcc: b@example.com' },
    { reply_to: 'Not an address' },
    { port: 70_000 },
    { hots: 'x' },
  ])('are rejected with %j', (overrides) => {
    expect(smtpDescription.settings.safeParse({ host: 'mail.example.com', from, ...overrides }).success).toBe(false)
  })
})
