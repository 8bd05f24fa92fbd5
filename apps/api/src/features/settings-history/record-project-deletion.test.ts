import { expect, it } from 'vitest'
import { onDatabase } from '../../../test/support/direct-database.ts'
import { acquireDatabase } from '../../../test/support/pooled-database.ts'
import type { Author } from '../../auth/principal.ts'
import { systemClock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { recordProjectDeletion } from './record-project-deletion.ts'

const author: Author = {
  userId: 'alice',
  requestId: 'test',
  scopes: [],
  mode: 'live',
  credentialId: 'test',
  rateLimitKey: 'test',
}

it.each(['flow', 'integration', 'project'])(
  'records a deletion later than the last change, even if a clock was ahead: %s',
  async (ahead) => {
    const database = await acquireDatabase()
    await onDatabase(database, async (query) => {
      const id = newUuid()
      const inAnHour = new Date(Date.now() + 3_600_000)
      const changedAt = (kind: string) => (kind === ahead ? inAnHour : new Date())
      await query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, 'alice', 'a', now(), $2)`, [
        id,
        changedAt('project'),
      ])
      await query(
        `insert into integrations (project_id, source_type, id, settings, secret_names, created_at, updated_at)
         values ($1, 'slack', $2, '{}', '{}', now(), $3)`,
        [id, newUuid(), changedAt('integration')],
      )
      await query(
        `insert into flows (id, project_id, name, active, source_type, target, override_target, message_template, message_template_type, created_at, updated_at)
         values ($1, $2, 'a', true, 'slack', 'C0123456789', false, '{{message}}', 'text', now(), $3)`,
        [newUuid(), id, changedAt('flow')],
      )
      await recordProjectDeletion({ query }, systemClock, author, { id, updated_at: changedAt('project') })
      const rows = await query<{ kind: string; changed_at: Date | string }>('select kind, changed_at from settings_history order by kind')
      expect(rows.map(({ kind }) => kind)).toEqual(['flow', 'integration', 'project'])
      for (const { changed_at } of rows) expect(new Date(changed_at).getTime()).toBeGreaterThan(inAnHour.getTime())
    }).finally(() => database.remove())
  },
)
