// Follows the guides word for word on a machine with an empty home folder. Flowpost's packages are packed from this repository;
// all others come from the npm registry. Programs that a block starts run until the end of the page. If a required program, a
// port or the registry is not available, the tests are skipped; in CI, they fail.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresBinaries } from '../../apps/api/test/support/private-postgres.ts'
import { createMachine, type Machine } from './machine.ts'
import { openPage } from './page.ts'
import { openReader } from './reader.ts'
import { findIssue } from './requirements.ts'
import { walks } from './walks.ts'

const issue = await findIssue(['bash', 'curl', 'git', 'openssl'], [3000, 4010, 4318, 8080])
if (issue !== undefined && process.env['CI'] === 'true') throw new Error(issue)
if (issue !== undefined) console.log(`Skipped the guides: ${issue}`)

const needPostgres = new Set(['guides/upgrading', 'guides/sizing'])
const timeout = 10 * 60_000

describe.skipIf(issue !== undefined)('on an empty machine', { timeout }, () => {
  let machine: Machine
  beforeAll(async () => {
    machine = await createMachine()
  }, timeout)
  afterAll(() => machine?.[Symbol.asyncDispose](), timeout)

  for (const [name, walk] of Object.entries(walks))
    it.skipIf(needPostgres.has(name) && postgresBinaries() === undefined)(`${name}.md works word for word`, async () => {
      const page = openPage(`docs/${name}.md`)
      await using reader = await openReader(machine)
      await walk({ page, reader, standIns: machine.standIns })
      page.end()
    })
})
