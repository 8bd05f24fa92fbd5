import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs a server package into a folder, with the given program as the server. Returns the package's folder. */
export const installServer = (folder: string, program: string, engines = '>=20'): string => {
  const packageFolder = join(folder, 'node_modules/@flowpost/server')
  mkdirSync(packageFolder, { recursive: true })
  const manifest = { name: '@flowpost/server', type: 'module', bin: { 'flowpost-server': './server.js' }, engines: { node: engines } }
  writeFileSync(join(packageFolder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(packageFolder, 'server.js'), program)
  return packageFolder
}

/**
 * A program that passes requests to the mock server `MOCK_URL` with the key `MOCK_KEY`, and logs the value of `LOGGED`.
 */
export const serverOnMock = `import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
const server = createServer(async (request, response) => {
  const { url, method } = request
  if (url === '/readyz') return response.end()
  const headers = { authorization: 'Bearer ' + process.env.MOCK_KEY, 'content-type': 'application/json' }
  const body = method === 'GET' ? undefined : await buffer(request)
  const answer = await fetch(process.env.MOCK_URL + url, { method, headers, body })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') }).end(await answer.text())
})
if (process.env.LOGGED) console.log(process.env.LOGGED)
server.listen(Number(process.env.PORT), process.env.HOST)
process.once('SIGTERM', () => process.exit(0))`
