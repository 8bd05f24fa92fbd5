import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../../test/support/run-command.ts'
import { lockDataFolder } from '../database/lock.ts'
import { secretsProgram } from './secrets.ts'

const createKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowpost-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

// The report has the value `current` even if the command has just created the recipient digest key.
it('reports a current recipient digest key without saying that it existed before', async () => {
  const none = { rotated: 0, current: 0, conflicts: 0, unreadable: 0 }
  const result = { key: 'k1', ...none, unreadable_integrations: [], event_endpoints: none, recipient_key: 'current' }
  const lock = await lockDataFolder(folder)
  lock.serve(async () => ({ result }))
  const { code, out } = await runCommand(secretsProgram, ['rotate'], { FLOWPOST_DATA_DIR: folder })
  await lock.release()
  expect([code, out]).toEqual([
    0,
    '0 integrations re-encrypted with the key k1; 0 integrations already used it.\nRecipient digest key: encrypted with the same key.\n',
  ])
})

it.each([
  ['the key file', {}, 'new'],
  ['FLOWPOST_ENCRYPTION_KEY', { FLOWPOST_ENCRYPTION_KEY: createKey('env') }, 'env'],
])('requests the first key of %s from the server', async (_, env, key) => {
  writeFileSync(join(folder, 'encryption.key'), `${createKey('new')}\n${createKey('old')}\n`)
  const lock = await lockDataFolder(folder)
  let requested: unknown
  lock.serve(async (_command, input) => {
    requested = input
    return { error: 'Rejected.' }
  })
  const { code } = await runCommand(secretsProgram, ['rotate'], { FLOWPOST_DATA_DIR: folder, ...env })
  await lock.release()
  expect([code, requested]).toEqual([1, { key }])
})
