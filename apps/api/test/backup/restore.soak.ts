import { it } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { expectNothingTwice, runRestore } from './restore-run.ts'

it('a backup that is made under load, and restored after the database was destroyed, causes no message to be sent twice', async () => {
  const database = await createTestDatabase()
  try {
    const report = await runRestore(database, 2_000)
    const { accepted, openInBackup, sentSinceBackup, sentTwice } = report
    console.info(
      `${accepted} accepted, ${openInBackup} unfinished at backup time, ${sentSinceBackup} of them sent since, ${sentTwice.length} sent twice`,
    )
    expectNothingTwice(report)
  } finally {
    await database.remove()
  }
})
