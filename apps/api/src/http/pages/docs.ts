import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { OpenApiDocument } from '@flowpost/contract'
import { isNotModified } from '@flowpost/contract/rules'
import { type Request, type Response, Router } from 'express'
import { notFound } from '../../shared/api-error.ts'
import { servePage } from './page.ts'

const gzip = promisify(gzipWithCallback)

/** A static file, served plain or compressed. */
interface Asset {
  readonly type: string
  readonly body: Buffer
  compressed?: Promise<Buffer>
}

/** Returns the location of a file of Swagger UI: in its package in the repository, and next to the other files in a bundle. */
const swaggerFile = (name: string): URL =>
  import.meta.url.endsWith('.ts') ? new URL(import.meta.resolve(`swagger-ui-dist/${name}`)) : new URL(`./assets/${name}`, import.meta.url)

const sources = [
  { name: 'swagger-ui', extension: 'css', path: () => swaggerFile('swagger-ui.css') },
  { name: 'swagger-ui', extension: 'js', path: () => swaggerFile('swagger-ui-bundle.js') },
  { name: 'docs', extension: 'css', path: () => new URL('./assets/docs.css', import.meta.url) },
  { name: 'docs', extension: 'js', path: () => new URL('./assets/docs.js', import.meta.url) },
]

const types: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex').slice(0, 12)

/** Reads the files of the page. Names contain a content hash, so that responses can be cached forever. */
const readAssets = (): ReadonlyMap<string, Asset> =>
  new Map(
    sources.map(({ name, extension, path }) => {
      const body = readFileSync(path())
      return [`${name}.${hashOf(body)}.${extension}`, { type: types[extension] ?? '', body }]
    }),
  )

// Swagger UI uses data URLs for its icons. Everything else comes from the server's own origin.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Renders the page. Its links are relative, so that it works below the path prefix of a proxy. */
const renderPage = (names: readonly string[], root: string): string => {
  const links = names.map((name) => ({ name, url: `${root}docs/assets/${name}` }))
  const styles = links.filter(({ name }) => name.endsWith('.css')).map(({ url }) => `<link rel="stylesheet" href="${url}">`)
  const scripts = links.filter(({ name }) => name.endsWith('.js')).map(({ url }) => `<script src="${url}" defer></script>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Flowpost API reference</title>
<link rel="icon" href="data:,">
${[...styles, ...scripts].join('\n')}
</head>
<body>
<div id="reference" data-document="${root}openapi.json">
<noscript><p class="notice">This reference needs JavaScript. Its source is the OpenAPI document <a href="${root}openapi.json">openapi.json</a>.</p></noscript>
</div>
</body>
</html>
`
}

/** Sends a public file, compressed if the client accepts it. */
const sendAsset = async (request: Request, response: Response, asset: Asset): Promise<void> => {
  response.set({ 'Content-Type': asset.type, Vary: 'Accept-Encoding', 'Cross-Origin-Resource-Policy': 'same-origin' })
  if (request.acceptsEncodings('gzip') !== 'gzip') {
    response.send(asset.body)
    return
  }
  asset.compressed ??= gzip(asset.body)
  response.set('Content-Encoding', 'gzip').send(await asset.compressed)
}

/**
 * Creates the pages `/openapi.json` and `/docs`. The second one shows the first as an API reference. Both are public, show
 * no user data and load nothing from other origins.
 *
 * @param createDocument Creates the OpenAPI document. Called at the first request of it, because that takes time that would
 * delay every start.
 */
export const createDocs = (createDocument: () => OpenApiDocument): Router => {
  let description: { readonly json: Asset; readonly etag: string } | undefined
  const loadDescription = () => {
    if (description) return description
    const json: Asset = { type: 'application/json; charset=utf-8', body: Buffer.from(JSON.stringify(createDocument())) }
    description = { json, etag: `"${hashOf(json.body)}"` }
    return description
  }
  let assets: ReadonlyMap<string, Asset> | undefined
  // The assets are loaded on demand: they are two megabytes that most processes never serve.
  const loadAssets = () => {
    assets ??= readAssets()
    return assets
  }

  const router = Router()
  servePage(router, '/openapi.json', async (request, response) => {
    const { json, etag } = loadDescription()
    response.set({ 'Cache-Control': 'no-cache', ETag: etag })
    if (isNotModified(request.get('if-none-match'), etag)) response.status(304).end()
    else await sendAsset(request, response, json)
  })
  servePage(router, '/docs', (request, response) => {
    response.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin' })
    response.type('html').send(renderPage([...loadAssets().keys()], request.path.endsWith('/') ? '../' : ''))
  })
  servePage(router, '/docs/assets/:name', async (request, response) => {
    const asset = loadAssets().get(request.params['name'] ?? '')
    if (!asset) throw notFound()
    response.set('Cache-Control', 'public, max-age=31536000, immutable')
    await sendAsset(request, response, asset)
  })
  return router
}
