import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts'

test.each([
  'localhost',
  'localhost:3000',
  'LocalHost:80',
  'flowpost.localhost',
  'a.b.localhost:1',
  '127.0.0.1',
  '127.8.9.10:65535',
  '[::1]',
  '[::1]:3000',
])('takes the host %s for this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  '',
  'example.com',
  'localhost.example.com',
  'localhost.example.com:3000',
  'notlocalhost',
  '.localhost',
  'a..localhost',
  '127.0.0.1.example.com',
  '127.0.0.1.nip.io:3000',
  '128.0.0.1',
  '127.0.0.256',
  '127.0.0.01',
  '0.0.0.0',
  '10.0.0.1',
  '[::2]',
  '[::ffff:10.0.0.1]',
  '::1',
  'localhost:3000:1',
  'localhost:',
  'localhost:123456',
  'example.com@localhost',
  'localhost/',
  'localhost, example.com',
  ' localhost',
  'localhost\n',
])('takes the host %j for another machine', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})

test('takes every address of 127.0.0.0/8 for this machine, and no other IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(65_535), (address, port) => {
      const isLoopback = address.startsWith('127.')
      expect(isLoopbackHost(`${address}:${port}`)).toBe(isLoopback)
      expect(isLoopbackAddress(address)).toBe(isLoopback)
      expect(isLoopbackAddress(`::ffff:${address}`)).toBe(isLoopback)
    }),
  )
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), (rest) => {
      expect(isLoopbackHost(`127.${rest.join('.')}`)).toBe(true)
    }),
  )
})

test.each(['', '::', '::2', 'fe80::1', '10.0.0.1', '::ffff:10.0.0.1', 'localhost'])('takes the peer %j for another machine', (address) => {
  expect(isLoopbackAddress(address)).toBe(false)
})
