import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestServer } from '../support/test-server.ts'

/** Waits until an erasure is done, and returns it. */
export const waitForErasure = async (server: TestServer, id: string) => {
  for (;;) {
    const { status, json, text } = await server.request('GET', `/v1/erasures/${id}`)
    expect(status, text).toBe(200)
    if (json.status === 'done') return json
    await sleep(20)
  }
}
