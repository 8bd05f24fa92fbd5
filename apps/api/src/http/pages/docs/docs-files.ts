import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzip as gunzipWithCallback, gzipSync } from 'node:zlib'
import { isNotModified } from '@flowpost/contract/rules'
import type { Request, Response } from 'express'

const gunzip = promisify(gunzipWithCallback)

/**
 * A public file. Only its compressed form is stored, because nearly all clients accept compression. For other clients, the
 * file is decompressed.
 */
export interface PublicFile {
  readonly type: string
  /** The entity tag, in quotes. */
  readonly etag: string
  readonly gzipped: Buffer
}

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex').slice(0, 12)

/** Creates a file from its content. */
export const createFile = (type: string, content: string | Buffer): PublicFile => {
  const body = Buffer.from(content)
  return { type: `${type}; charset=utf-8`, etag: `"${hashOf(body)}"`, gzipped: gzipSync(body) }
}

/** Sends a file, compressed if the client accepts compression. */
export const sendFile = async (request: Request, response: Response, { type, gzipped }: PublicFile): Promise<void> => {
  response.set({ 'Content-Type': type, Vary: 'Accept-Encoding', 'Cross-Origin-Resource-Policy': 'same-origin' })
  if (request.acceptsEncodings('gzip') === 'gzip') response.set('Content-Encoding', 'gzip').send(gzipped)
  else response.send(await gunzip(gzipped))
}

/** Sends a file that clients must revalidate before each use. Responds with 304 if the client's entity tag is current. */
export const sendCurrent = async (request: Request, response: Response, file: PublicFile): Promise<void> => {
  response.set({ 'Cache-Control': 'no-cache', ETag: file.etag })
  if (isNotModified(request.get('if-none-match'), file.etag)) response.status(304).end()
  else await sendFile(request, response, file)
}

const read = (name: string): Buffer => readFileSync(new URL(`./assets/${name}`, import.meta.url))

/** The style sheets and scripts of the API reference. */
export interface DocsAssets {
  /** The files, keyed by name. A name contains a hash of the content, so responses can be cached forever. */
  readonly byName: ReadonlyMap<string, PublicFile>
  readonly style: string
  /** The name of the script that applies the reader's stored theme and language before the page is shown. */
  readonly theme: string
  readonly script: string
}

// The order matters: in narrow windows, rules in `layout` override rules in `navigation`.
const stylesheets = ['theme', 'navigation', 'layout', 'content', 'fields', 'samples'].map((name) => `docs-${name}.css`)

/** Reads the style sheets and scripts of the API reference. The style sheets are served as one file. */
export const readDocsAssets = (): DocsAssets => {
  const byName = new Map<string, PublicFile>()
  const add = (name: string, extension: string, type: string, body: Buffer): string => {
    const hashed = `${name}.${hashOf(body)}.${extension}`
    byName.set(hashed, createFile(type, body))
    return hashed
  }
  return {
    byName,
    style: add('docs', 'css', 'text/css', Buffer.concat(stylesheets.map(read))),
    theme: add('docs-choices', 'js', 'text/javascript', read('docs-choices.js')),
    script: add('docs', 'js', 'text/javascript', read('docs.js')),
  }
}

/** Reads the SDK's method reference. In the repository, it is in the SDK package. In a bundle, it is among the assets. */
export const readMethodReference = (): string =>
  import.meta.url.endsWith('.ts')
    ? readFileSync(new URL('../../../../../../packages/client/docs/reference.md', import.meta.url), 'utf8')
    : read('sdk-methods.md').toString()
