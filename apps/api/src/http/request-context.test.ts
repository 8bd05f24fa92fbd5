import { Writable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { type Listening, listen } from './connections/listen.ts'
import { createProbeServer, createProbes } from './pages/probe-server.ts'

let server: Listening
afterEach(() => server.close(100))

/**
 * Starts a server with the given log level and requests each path in turn. Returns the path and level of each log line.
 */
const logOf = async (level: string, paths: readonly string[]): Promise<string[]> => {
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      const { path, level } = JSON.parse(String(chunk))
      lines.push(`${path} ${level}`)
      done()
    },
  })
  const pages = createProbes({ isReady: async () => false, isOnHold: () => false })
  const log = createLog({ level, destination })
  server = await listen(createProbeServer({ log, measureRequests: (_request, _response, next) => next(), pages }), '127.0.0.1', 0)
  for (const path of paths) await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()
  await expect.poll(() => lines.at(-1)).toContain(paths.at(-1)?.split('?')[0])
  return lines
}

const paths = ['/livez', '/readyz?verbose', '/READYZ/', '/livezz']

it('logs probes at debug and other requests at info', async () => {
  expect(await logOf('debug', paths)).toEqual(['/livez debug', '/readyz debug', '/READYZ/ debug', '/livezz info'])
})

it('does not log probes at the default level', async () => {
  expect(await logOf('info', paths)).toEqual(['/livezz info'])
})
