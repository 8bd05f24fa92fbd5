import { afterEach, expect, it, vi } from 'vitest'
import { message } from '../scenarios/context.ts'
import { listen } from './express-app.ts'

const valid = { ...message, target: 'operations@example.com' }
const accept = vi.fn(async () => '17')
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const post = async (body: string, token = 'secret') => {
  const { port, close } = await listen({ token: 'secret', accept })
  open.push(close)
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return fetch(`http://127.0.0.1:${port}/v1/notifications`, { method: 'POST', headers, body })
}

it('returns 202 with the id when the notification is accepted', async () => {
  const response = await post(JSON.stringify(valid))
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({ id: '17', status: 'queued' })
  expect(accept).toHaveBeenCalledWith(valid)
})

it('returns 401 for an unknown token', async () => {
  expect((await post(JSON.stringify(valid), 'guess!')).status).toBe(401)
})

it('returns 400 for a body that is not JSON', async () => {
  expect((await post('{')).status).toBe(400)
})

it('returns 422 for a notification without a recipient', async () => {
  expect((await post(JSON.stringify(message))).status).toBe(422)
})

it('returns 500 when accepting fails', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  accept.mockRejectedValueOnce(new Error('The queue is gone.'))
  expect((await post(JSON.stringify(valid))).status).toBe(500)
})
