import { describe, expect, test } from 'vitest'
import { headerSecret, hostName, hostOrAddress, isIpAddress, isLoopbackHost, signingSecretField } from './fields.ts'

describe('an IP address', () => {
  test.each([
    '1.2.3.4',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1%eth0',
    '2001:db8::8a2e:370:7334',
    '::ffff:1.2.3.4',
    '1:2:3:4:5:6:7:8',
  ])('is %s', (text) => expect(isIpAddress(text)).toBe(true))
  test.each([
    '',
    '1.2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    '[::1]',
    '::1%',
    'g::',
  ])('is not %j', (text) => expect(isIpAddress(text)).toBe(false))
})

test('hostOrAddress accepts a name or an address, without a port', () => {
  for (const host of ['mail.example.com', 'mail', '10.0.0.1', '::1']) expect(hostOrAddress.safeParse(host).success, host).toBe(true)
  for (const host of ['mail.example.com:25', '-a.example.com', 'a..b', 'exämple.com', '[::1]'])
    expect(hostOrAddress.safeParse(host).success, host).toBe(false)
  expect(hostName.safeParse('::1').success).toBe(false)
})

test('isLoopbackHost is true for the local machine only', () => {
  for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.8.9.10', '::1'])
    expect(isLoopbackHost(host), host).toBe(true)
  for (const host of ['localhost.example.com', '127.example.com', '128.0.0.1', '::2', '']) expect(isLoopbackHost(host), host).toBe(false)
})

test('headerSecret accepts visible ASCII only', () => {
  expect(headerSecret.safeParse('xoxb-1!~').success).toBe(true)
  for (const secret of ['', 'a b', 'a\r\nb', 'ü', 'x'.repeat(4097)]) expect(headerSecret.safeParse(secret).success).toBe(false)
})

test('signingSecretField accepts keys of 24 to 64 bytes', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  for (const bytes of [24, 25, 26, 64]) expect(signingSecretField.safeParse(secretOf(bytes)).success, String(bytes)).toBe(true)
  for (const bytes of [1, 23, 65]) expect(signingSecretField.safeParse(secretOf(bytes)).success, String(bytes)).toBe(false)
  for (const secret of ['whsec_', 'sk_AAAA', `${secretOf(24)}!`, secretOf(24).slice(1)])
    expect(signingSecretField.safeParse(secret).success).toBe(false)
})
