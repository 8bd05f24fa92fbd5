import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractIpv4, isMetadataAddress, isPublicAddress, parseAddressRanges } from './public-address.ts'

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
  ])('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:169.254.169.254',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fc00::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    '100::1',
    '5f00::1',
    '',
    'localhost',
    '2130706433',
    '0x7f.0.0.1',
    '127.1',
    '010.0.0.1',
  ])('returns false for %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it('treats an IPv6 address with an embedded IPv4 address like that IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(extractIpv4(`::ffff:${address}`)).toBe(address)
        expect(extractIpv4(`64:ff9b::${address}`)).toBe(address)
        expect(extractIpv4(`::ffff:${address}%eth0`)).toBe(address)
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address))
      }),
    )
  })
})

describe('isMetadataAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fe80::a9fe:a9fe',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a83f:8110',
    'fd00:ec2::254%eth0',
    '::ffff:169.254.169.254%lo',
    '64:ff9b::a9fe:a9fe%eth0',
  ])('returns true for %s', (address) => expect(isMetadataAddress(address)).toBe(true))
  it.each(['168.63.129.17', '169.253.255.255', '100.100.100.201', '10.0.0.1', '1.1.1.1', 'fd00::1', '::1', 'localhost'])(
    'returns false for %s',
    (address) => expect(isMetadataAddress(address)).toBe(false),
  )
})

describe('parseAddressRanges', () => {
  it('matches addresses of the same family by prefix', () => {
    const ranges = parseAddressRanges(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'])
    expect(['10.1.255.255', 'fd00:1::9', '192.168.7.7'].every(ranges.includes)).toBe(true)
    expect(['10.2.0.0', 'fd00:2::', '192.168.7.8', 'x'].some(ranges.includes)).toBe(false)
  })

  it.each(['', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', '10.0.0.0/', 'fd00::/129', 'example.com', '10.0.0/8'])(
    'rejects %j',
    (range) => {
      expect(() => parseAddressRanges([range])).toThrow(TypeError)
    },
  )
})
