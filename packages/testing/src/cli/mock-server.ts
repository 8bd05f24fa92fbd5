#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { createFlowpostMock, type FlowpostMock } from '../mock.ts'
import { startMockServer } from '../server.ts'

const help = `Serves a Flowpost mock over HTTP, for browsers and other languages. All data is in memory.

  npx flowpost-mock --port 4010 --api-key fp_test

  --port <port>      The port. Default: 4010.
  --host <host>      The host name or address to listen on. Default: 127.0.0.1.
  --api-key <key>    An API key with all scopes. Default: a generated key.
  --cors <origin>    An origin that may call the mock from a browser, or *. Can be repeated.
  --seed <number>    The seed of all random values. Default: 1.
  --help             Show this help.
`

/** The interval in milliseconds at which the mock's clock advances. The clock also advances before each request. */
const tickMs = 250

/**
 * Returns a mock whose manual clock follows the machine's clock. As on a real server, time passes between requests, so
 * scheduled messages become due and timestamps advance.
 */
const followSystemTime = (mock: FlowpostMock): FlowpostMock => {
  const offsetMs = mock.clock.now() - performance.now()
  // Each call advances the clock to the current time. Calls may overlap, so adding the time since the last call would count
  // some time twice.
  const catchUp = (): Promise<void> => mock.clock.advance(Math.max(0, Math.floor(performance.now() + offsetMs - mock.clock.now())))
  setInterval(() => void catchUp(), tickMs).unref()
  return {
    ...mock,
    fetch: async (input, init) => {
      await catchUp()
      return mock.fetch(input, init)
    },
  }
}

const start = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      'api-key': { type: 'string' },
      cors: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return console.log(help)
  for (const name of ['port', 'seed'] as const)
    if (!/^\d{1,9}$/.test(values[name])) throw new TypeError(`--${name} must be a whole number of at most nine digits.`)
  const apiKey = values['api-key']
  const mock = createFlowpostMock({ seed: Number(values.seed), time: 'manual', ...(apiKey === undefined ? {} : { apiKey }) })
  const server = await startMockServer(followSystemTime(mock), { port: Number(values.port), host: values.host, corsOrigins: values.cors })
  console.log(`Flowpost mock listening on ${server.url}. API key: ${mock.apiKey}`)
}

try {
  await start(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${help}` : error)
  process.exitCode = 2
}
