import { expect } from 'vitest'
import { sendRaw } from './raw-http.ts'

/**
 * Waits until the receiver of a guide listens, then checks that neither a client that disconnects nor one that sends too much
 * stops it.
 */
export const expectRobustReceiver = async (url: string): Promise<void> => {
  const respond = (body: string, withoutResponse: number) =>
    fetch(url, { method: 'POST', body }).then(
      ({ status }) => status,
      () => withoutResponse,
    )
  await expect.poll(() => respond('{}', 0)).toBe(400)
  await sendRaw(url, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{', 200)
  // The connection may be closed before the response is read.
  expect(await respond('x'.repeat(6_000_000), 500)).toBe(500)
}
