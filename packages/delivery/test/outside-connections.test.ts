import { get } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'

const lookup = (_host: string, _options: object, done: (error: null, addresses: { address: string; family: number }[]) => void) =>
  setImmediate(done, null, [{ address: '1.1.1.1', family: 4 }])

it('no test connects to another machine, by address or by name', async () => {
  expect(() => connect(443, '1.1.1.1')).toThrow('Blocked a connection to 1.1.1.1.')
  expect(() => get('http://[2606:4700:4700::1111]/')).toThrow('Blocked a connection to 2606:4700:4700::1111.')
  const { promise, resolve } = Promise.withResolvers<unknown>()
  connect({ host: 'outside.example', port: 443, lookup: lookup as never }).once('error', resolve)
  expect(await promise).toMatchObject({ code: 'ERR_IP_BLOCKED' })
})
