import type { Request, Response } from 'express'
import { expect, it } from 'vitest'
import { reportSettingsChange } from './settings-changed-header.ts'

const report = async (digest: string | undefined, body: unknown, current: string | undefined = 'current') => {
  const lookups: string[] = []
  const headers: object[] = []
  const findSettingsDigest = async (_principal: unknown, key: string) => {
    lookups.push(key)
    return current
  }
  const req = { get: (name: string) => (name === 'flowpost-settings-digest' ? digest : undefined) } as Request
  const res = { locals: { context: { principal: {} } }, set: (fields: object) => headers.push(fields) } as unknown as Response
  await reportSettingsChange({ findSettingsDigest }, { body, req, res })
  return { lookups, headers }
}

it('looks up nothing for a request without a digest, or without a project key', async () => {
  const nothing = { lookups: [], headers: [] }
  expect(await report(undefined, { project: 'billing' })).toEqual(nothing)
  for (const body of [{ project_id: 'prj_1' }, { notifications: [null] }, { notifications: [] }, { project: { key: 'billing' } }, null])
    expect(await report('known', body)).toEqual(nothing)
})

it('sets the header only if the digests differ', async () => {
  const changed = { 'Flowpost-Settings-Changed': 'true' }
  expect(await report('known', { project: 'billing' })).toEqual({ lookups: ['billing'], headers: [changed] })
  expect(await report('current', { project: 'billing' })).toEqual({ lookups: ['billing'], headers: [] })
})

it('compares the project of the first notification in a batch', async () => {
  const { lookups } = await report('known', { notifications: [{ project: 'billing' }, { project: 'shop' }] })
  expect(lookups).toEqual(['billing'])
})
