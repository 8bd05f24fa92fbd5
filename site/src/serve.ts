import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}
const compressed = new Set(['.html', '.js', '.css', '.json', '.svg', '.md', '.txt'])

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** A server of a built site. */
export interface SiteServer extends AsyncDisposable {
  readonly url: string
  /** Returns the number of bytes sent since the last call. */
  readonly takeBytes: () => number
}

/**
 * Serves a folder on 127.0.0.1 as GitHub Pages does: compresses files, and serves pages with or without `.html`.
 * @param base the path at which the site is served, such as `/` or `/flowpost/`.
 */
export const serveSite = async (folder: string, base: string): Promise<SiteServer> => {
  let bytes = 0
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const path = pathname.startsWith(base) ? decodeURIComponent(`/${pathname.slice(base.length)}`) : '/404'
    const file = [path, `${path}.html`, `${path}index.html`].map((candidate) => join(folder, candidate)).find(isFile)
    const found = file ?? join(folder, '404.html')
    const extension = extname(found)
    const content = readFileSync(found)
    const body = compressed.has(extension) ? gzipSync(content) : content
    bytes += body.length
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': types[extension] ?? 'application/octet-stream',
      ...(compressed.has(extension) ? { 'content-encoding': 'gzip' } : {}),
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${base.slice(0, -1)}`,
    takeBytes: () => {
      const taken = bytes
      bytes = 0
      return taken
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
