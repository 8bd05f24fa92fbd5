// A registry that serves packed packages, so that npm installs them by name before they are published.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Manifest } from './published.ts'

/** A package's manifest, and the path of its tarball. */
export interface PackedPackage {
  readonly manifest: Manifest
  readonly tarball: string
}

/** A registry that listens on a port. */
export interface LocalRegistry {
  readonly url: string
  close(): void
}

/**
 * Starts a registry that serves `packages`.
 * @param fallback The URL of another registry. Requests for all other packages are redirected to it. Requests for
 * packages in this repository's scope are never redirected, because a test must not install their public versions.
 * @default none; the response is then 404
 */
export const startRegistry = async (packages: readonly PackedPackage[], fallback?: string): Promise<LocalRegistry> => {
  const served = new Map<string, () => { type: string; body: string | Buffer }>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const found = served.get(decodeURIComponent(path))
    if (!found && fallback !== undefined && !path.startsWith('/@flowpost'))
      return void response.writeHead(307, { Location: `${fallback.replace(/\/$/, '')}${path}` }).end()
    if (!found) return void response.writeHead(404).end('{}')
    const { type, body } = found()
    response.writeHead(200, { 'Content-Type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const { manifest, tarball } of packages) {
    const { name, version } = manifest
    const path = `/${name}/-/${version}.tgz`
    const packed = readFileSync(tarball)
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
    const versions = { [version]: { ...manifest, dist: { tarball: `${url}${path}`, integrity } } }
    served.set(path, () => ({ type: 'application/octet-stream', body: packed }))
    served.set(`/${name}`, () => ({ type: 'application/json', body: JSON.stringify({ name, 'dist-tags': { latest: version }, versions }) }))
  }
  return {
    url,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
