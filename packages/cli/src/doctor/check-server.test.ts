import { expect, it } from 'vitest'
import { checkEncryption } from './check-server.ts'

it.each([
  ['http://localhost:3000', 0],
  ['http://127.0.0.1:3000', 0],
  ['http://[::1]:3000', 0],
  ['https://flowpost.example.com', 0],
  ['http://flowpost.example.com', 1],
  ['http://127.example.com', 1],
])('for %s returns %d warnings about a connection that is not encrypted', (url, count) => {
  expect(checkEncryption(url)).toHaveLength(count)
})
