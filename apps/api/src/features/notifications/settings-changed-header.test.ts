import { api } from '@flowpost/contract'
import type { Request, Response } from 'express'
import { expect, it } from 'vitest'
import { reportSettingsChange } from './settings-changed-header.ts'

const report = async (
  digest: string | undefined,
  body: unknown,
  current: string | undefined = 'current',
  route: object = api.notifications.send,
) => {
  const lookups: string[] = []
  const headers: object[] = []
  const findSettingsDigest = async (_principal: unknown, key: string) => {
    lookups.push(key)
    return current
  }
  const get = (name: string) => (name === 'flowpost-settings-digest' ? digest : undefined)
  const request = { get, body, tsRestRoute: route } as unknown as Request
  const response = { locals: { context: { principal: {} } }, set: (fields: object) => headers.push(fields) } as unknown as Response
  let isContinued = false
  await reportSettingsChange({ findSettingsDigest })(request, response, () => {
    isContinued = true
  })
  expect(isContinued).toBe(true)
  return { lookups, headers }
}

const nothing = { lookups: [], headers: [] }

it('looks up nothing for a request without a valid digest, or without a valid project key', async () => {
  expect(await report(undefined, { project: 'billing' })).toEqual(nothing)
  expect(await report('"quoted"', { project: 'billing' })).toEqual(nothing)
  for (const body of [
    { project_id: 'prj_1' },
    { notifications: [null] },
    { notifications: [] },
    { project: { key: 'billing' } },
    { project: 'bill\u0000ing' },
    null,
    undefined,
  ])
    expect(await report('known', body)).toEqual(nothing)
})

it('looks up nothing for an operation that does not accept a digest', async () => {
  expect(await report('known', { project: 'billing' }, 'current', api.projects.create)).toEqual(nothing)
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
