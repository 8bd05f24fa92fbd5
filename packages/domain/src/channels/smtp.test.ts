import { expect, it } from 'vitest'
import { bounceAddress } from './smtp.ts'

it('accepts only ASCII bounce addresses that leave room for a delivery id', () => {
  for (const address of ['bounces@example.com', 'a+b@example.com', `${'a'.repeat(33)}@example.com`])
    expect(bounceAddress.safeParse(address).success, address).toBe(true)
  for (const address of [
    'Bounces <bounces@example.com>',
    'bounces',
    `${'a'.repeat(34)}@example.com`,
    'bounces@bücher.example',
    '"a b"@example.com',
  ])
    expect(bounceAddress.safeParse(address).success, address).toBe(false)
})
