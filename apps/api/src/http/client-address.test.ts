import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:2::', '2001:db8:0:2::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['203.0.113.9:5002', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:5002', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['[fe80::1%eth0]:443', 'fe80:0:0:0::/64'],
    ['203.0.113.9:', 'unknown'],
    ['[203.0.113.9', 'unknown'],
    ['not an address', 'unknown'],
    ['', 'unknown'],
  ])('maps %j to %j', (ip, expected) => {
    expect(clientAddress(ip)).toBe(expected)
  })

  it('returns unknown for a closed connection', () => {
    expect(clientAddress(undefined)).toBe('unknown')
  })

  it('returns the same key for two IPv6 addresses, in any notation, if and only if their first 64 bits are equal', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
    const written = (all: readonly number[], compact: boolean) => {
      const plain = all.map((group) => group.toString(16)).join(':')
      // The URL parser converts an address to its shortest form.
      return compact ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain
    }
    fc.assert(
      fc.property(groups, groups, groups, fc.boolean(), fc.boolean(), (network, host, otherHost, a, b) => {
        expect(clientAddress(written([...network, ...host], a))).toBe(clientAddress(written([...network, ...otherHost], b)))
      }),
    )
    fc.assert(
      fc.property(groups, groups, groups, (network, other, host) => {
        fc.pre(network.join() !== other.join())
        expect(clientAddress(written([...network, ...host], true))).not.toBe(clientAddress(written([...other, ...host], true)))
      }),
    )
  })
})
