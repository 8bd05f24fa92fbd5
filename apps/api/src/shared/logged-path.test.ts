import { expect, it } from 'vitest'
import { loggedPath } from './logged-path.ts'

it('leaves out the origin, the query and the secret in an inbound address', () => {
  expect(loggedPath('/v1/notifications?limit=1')).toBe('/v1/notifications')
  expect(loggedPath('http://flowpost.internal:3000/v1/notifications?limit=1')).toBe('/v1/notifications')
  expect(loggedPath('http://flowpost.internal:3000/v1/inbound/smtp/fpi_secret')).toBe('/v1/inbound/smtp/***')
  for (const path of ['/v1/inbound/smtp/fpi_secret', '/V1/Inbound/smtp/fpi_secret/', '/v1/inbound/smtp/fpi_secret/more?recipient=a'])
    expect(loggedPath(path)).toMatch(/^\/v1\/inbound\/smtp\/\*\*\*$/i)
})

it.each([
  ['//v1/inbound/mailgun/fpi_secret', '//v1/inbound/mailgun/***'],
  ['/v1//inbound/mailgun/fpi_secret/', '/v1//inbound/mailgun/***/'],
  ['/flowpost/v1/inbound/mailgun/fpi%5F0vT1?recipient=a', '/flowpost/v1/inbound/mailgun/***'],
  ['/FPI%5f0vT1%3F', '/***'],
])('leaves out the secret in the wrong path %s', (path, expected) => {
  expect(loggedPath(path)).toBe(expected)
})
