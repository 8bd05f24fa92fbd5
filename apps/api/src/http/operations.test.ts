import type { Request, RequestHandler, Response } from 'express'
import { expect, it } from 'vitest'
import { createOperations } from './operations.ts'

const { app, handle } = createOperations()
const answers =
  (name: string): RequestHandler =>
  (request) => {
    Object.assign(request, { answered: [name, { ...request.params }] })
  }
app.get('/v1/things/:thing_id', answers('get'))
app.delete('/v1/things/:thing_id', answers('delete'))
app.post('/v1/things/preview', answers('preview'))
app.get('/v1/things', answers('list'))
app.get('/v1/things/:thing_id/parts/:part_id', answers('part'))
app.post('/v1/things', (_request, _response, next) => next(), answers('create'))
app.put('/v1/things/:thing_id', async () => Promise.reject(new Error('late')))
app.patch('/v1/things/:thing_id', () => {
  throw new Error('at once')
})

/** What has answered and with which parameters; `undefined` for a request that was let through. */
const ask = async (method: string, path: string): Promise<unknown> => {
  const request = { method, path, params: {} } as Request & { answered?: unknown }
  const passed = Promise.withResolvers<unknown>()
  handle(request, {} as Response, (error?: unknown) => (error === undefined ? passed.resolve('passed on') : passed.reject(error)))
  return request.answered ?? passed.promise
}

it('finds operations by method and path, and their parameters', async () => {
  expect(await ask('GET', '/v1/things')).toEqual(['list', {}])
  expect(await ask('GET', '/v1/things/1')).toEqual(['get', { thing_id: '1' }])
  expect(await ask('DELETE', '/v1/things/1')).toEqual(['delete', { thing_id: '1' }])
  expect(await ask('GET', '/v1/things/1/parts/a%2Fb')).toEqual(['part', { thing_id: '1', part_id: 'a/b' }])
  expect(await ask('POST', '/v1/things')).toEqual(['create', {}])
})

it('prefers what is written out to a parameter, as far as it serves the method', async () => {
  expect(await ask('POST', '/v1/things/preview')).toEqual(['preview', {}])
  expect(await ask('GET', '/v1/things/preview')).toEqual(['get', { thing_id: 'preview' }])
})

it('answers HEAD as GET, and takes any case and one slash at the end', async () => {
  expect(await ask('HEAD', '/v1/things/1')).toEqual(['get', { thing_id: '1' }])
  expect(await ask('GET', '/V1/Things/Ab/')).toEqual(['get', { thing_id: 'Ab' }])
})

it('lets everything else through', async () => {
  for (const path of ['/', '/v1', '/v1/things//', '/v1//1', '/v1/things/1/parts', '/v1/things/1/parts/', '/v1/things/1/2'])
    expect(await ask('GET', path), path).toBe('passed on')
  for (const method of ['POST', 'OPTIONS', 'TRACE']) expect(await ask(method, '/v1/things/1')).toBe('passed on')
})

it('hands on what handlers throw, at once or later, and a parameter that cannot be decoded', async () => {
  await expect(ask('PATCH', '/v1/things/1')).rejects.toThrow('at once')
  await expect(ask('PUT', '/v1/things/1')).rejects.toThrow('late')
  await expect(ask('GET', '/v1/things/%ff')).rejects.toThrow(URIError)
})
