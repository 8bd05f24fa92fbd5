import { createAddressRedactor } from '@flowpost/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { matchesPattern } from '../../src/features/erasures/erasure-area.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createTestDatabase } from '../support/test-database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase(await createTestDatabase())
})
afterAll(() => database?.close())

/** Returns whether the database selects a text, and a JSON document that contains the text. */
const isSelected = async (address: string, text: string): Promise<boolean[]> => {
  const { searchPattern } = createAddressRedactor(address, 'erased:1')
  const [row] = await database.query<{ found: boolean[] }>(
    `select array[${matchesPattern('$2::text', '$1')}, ${matchesPattern(`jsonb_build_object('a', $2::text)::text`, '$1')}] as found`,
    [searchPattern, text],
  )
  return row?.found ?? []
}

const address = `"o'b_{1}"+a\\c|^$*@ä-x.example`

describe('the search for an address in the database', () => {
  it.each([
    address,
    address.toUpperCase(),
    address.replace(/[^a-zä0-9]/g, '\\$&'),
    address.replace(/[^a-zä0-9]/g, '\\\\$&'),
    ...['%', '\\u00', '&#x'].map((prefix) =>
      address.replace(/[^a-zä0-9]/g, (each) => `${prefix}${each.charCodeAt(0).toString(16)}${prefix === '&#x' ? ';' : ''}`),
    ),
  ])('finds %j', async (text) => expect(await isSelected(address, `To ${text}\n`)).toEqual([true, true]))

  it.each([...['%ED%95%9C', '%E1%84%92%E1%85%A1%E1%86%AB', '\\ud55c', '&#xd55c;', '한'.normalize('NFD')].map((encoded) => [encoded])])(
    'finds an address of 300 non-ASCII characters that are encoded as %j',
    async (encoded) => expect(await isSelected(`${'한'.repeat(300)}@x.io`, `To ${encoded.repeat(300)}@x.io`)).toEqual([true, true]),
  )

  it('finds an address of 2,000 special characters', async () => {
    const long = `a@${'-'.repeat(1_997)}b`
    expect(await isSelected(long, `To ${long}`)).toEqual([true, true])
  })

  it.each([
    ['info@acme.io', 'Read the information at https://acme.io/orders.'],
    ['bob@example.com', 'bob: see example.com'],
  ])('does not select a text that contains only the parts of %s', async (address, text) =>
    expect(await isSelected(address, text)).toEqual([false, false]),
  )
})
