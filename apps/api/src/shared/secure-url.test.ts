import { expect, it } from 'vitest'
import { isSecureUrl } from './secure-url.ts'

it.each(['https://example.com', 'http://127.0.0.2:3000/', 'http://[::1]/', 'http://localhost', 'http://a.localhost/'])(
  'accepts %s',
  (url) => {
    expect(isSecureUrl(url)).toBe(true)
  },
)

it.each([
  'http://example.com',
  'http://localhost.example.com',
  'http://127.example.com',
  'http://10.0.0.1',
  'ftp://localhost',
  'localhost',
])('rejects %s', (url) => {
  expect(isSecureUrl(url)).toBe(false)
})
