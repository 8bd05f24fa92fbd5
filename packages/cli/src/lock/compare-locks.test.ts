import type { FlowpostLock } from '@flowpost/client'
import { expect, it } from 'vitest'
import { compareLocks } from './compare-locks.ts'

const lockWith = (...keys: readonly string[]): FlowpostLock => {
  const flow = {
    name: 'F',
    active: true,
    source_type: 'smtp',
    override_target: false,
    message_template: 'm',
    message_template_type: 'text/plain',
  }
  const flows = Object.fromEntries(keys.map((key) => [key, flow]))
  return { lockfile_version: 1, projects: { billing: { name: 'Billing', digest: 'd', flows, integrations: {} } } }
}

it.each(['alerts', 'constructor'])('reports a flow with the key %s as added or removed', (key) => {
  const path = ['billing', 'flows', key]
  expect(compareLocks(lockWith(), lockWith(key))).toEqual([{ change: 'added', path }])
  expect(compareLocks(lockWith(key), lockWith())).toEqual([{ change: 'removed', path }])
  expect(compareLocks(lockWith(key), lockWith(key))).toEqual([])
})
