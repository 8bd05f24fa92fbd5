#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { createFlowpostMock } from '../mock.ts'
import { startMockServer } from '../server.ts'

const help = `Serves a Flowpost mock over HTTP, for browsers and for other languages. It keeps everything in memory.

  npx flowpost-mock --port 4010 --api-key fp_test

  --port <port>      Default: 4010.
  --host <host>      Default: 127.0.0.1.
  --api-key <key>    A key with all scopes. Default: one that is printed.
  --cors <origin>    An origin whose pages may call it, or *. May be given several times.
  --seed <number>    What identifiers are drawn from. Default: 1.
  --help             Show this.
`

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
  for (const name of ['port', 'seed'] as const) if (!/^\d{1,9}$/.test(values[name])) throw new TypeError(`--${name} must be a number.`)
  const apiKey = values['api-key']
  const mock = createFlowpostMock({ seed: Number(values.seed), ...(apiKey === undefined ? {} : { apiKey }) })
  const server = await startMockServer(mock, { port: Number(values.port), host: values.host, corsOrigins: values.cors })
  console.log(`The Flowpost mock answers on ${server.url}, with the key ${mock.apiKey}`)
}

try {
  await start(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${help}` : error)
  process.exitCode = 2
}
