import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingsConsequences } from '@flowpost/client'
import { describe, expect, it } from 'vitest'
import { printConsequences } from '../src/settings/print-consequences.ts'
import { startCliServer } from './support/run-cli.ts'

const { mock, run, home } = await startCliServer()
const client = mock.client()

const mail = { source_type: 'smtp', target: 'ops@example.com' }
const write = (flows: object) =>
  writeFileSync(
    join(home, 'flowpost.config.ts'),
    `export default ${JSON.stringify({ project: { key: 'billing', name: 'Billing' }, flows })}`,
  )

const nobody = { notifications: 0, notification_id: null }
const none: SettingsConsequences = {
  examined: 3,
  not_examined: 0,
  since: '2026-11-01T09:00:00.000Z',
  complete: true,
  deliveries: [],
  rejected: [],
  without_flow: nobody,
  changed_messages: nobody,
  changed_targets: nobody,
}

const print = (consequences: SettingsConsequences): string[] => {
  const lines: string[] = []
  printConsequences({ print: (line = '') => void lines.push(line) }, consequences)
  return lines
}

describe('flowpost plan', () => {
  it('shows the consequences of the changes, also as JSON', async () => {
    write({ ops: mail })
    await run(['apply', '--yes'])
    const sent = await client.notifications.send({ project: 'billing', subject: 'Disk', message: 'Full' })
    expect((await run(['plan'])).stdout).toBe('Nothing would change.\n')
    write({ ops: { ...mail, message_template: 'New: {{message}}' }, more: mail })
    const { stdout } = await run(['plan'])
    expect(stdout).toContain(`\nFor 1 notification since ${sent.created_at}, the changes would have meant:\n  1 more delivery to smtp\n`)
    expect(stdout).toContain(`  1 with a changed message (${sent.id})\n`)
    expect((await run(['plan', '--json'])).json().consequences).toMatchObject({
      examined: 1,
      deliveries: [{ source_type: 'smtp', before: 1, after: 2 }],
    })
  })
})

describe('the consequences', () => {
  it('are printed as one line for each effect', () => {
    const affected = (notifications: number) => ({ notifications, notification_id: 'ntf_1' })
    const lines = print({
      ...none,
      examined: 2_431,
      not_examined: 12,
      complete: false,
      deliveries: [
        { source_type: 'slack', before: 0, after: 1_204 },
        { source_type: 'smtp', before: 5, after: 4 },
      ],
      rejected: [{ code: 'content_too_long', ...affected(3) }],
      without_flow: affected(4),
      changed_messages: affected(5),
      changed_targets: affected(6),
    })
    expect(lines).toEqual([
      '\nFor 2,431 notifications since 2026-11-01T09:00:00.000Z, the changes would have meant:',
      '  1,204 more deliveries to slack',
      '  1 fewer delivery to smtp',
      '  3 rejected: content_too_long (ntf_1)',
      '  4 to no flow (ntf_1)',
      '  5 with a changed message (ntf_1)',
      '  6 with another target (ntf_1)',
      '  12 more could not be examined: their messages are no longer stored, or their flows have since changed.',
      '  Older notifications are not included, because a limit was reached.',
    ])
  })

  it('are one line if there are none, and omitted if nothing was sent', () => {
    expect(print(none)).toEqual(['\nNo consequences for 3 notifications since 2026-11-01T09:00:00.000Z.'])
    expect(print({ ...none, examined: 0, since: null })).toEqual([])
  })
})
