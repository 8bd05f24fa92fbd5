import type { OpenApiDocument } from '@flowpost/contract'
import { type Request, type Response, Router } from 'express'
import { notFound } from '../../shared/api-error.ts'
import {
  createFile,
  type DocsAssets,
  type PublicFile,
  readDocsAssets,
  readMethodReference,
  sendCurrent,
  sendFile,
} from './docs/docs-files.ts'
import { servePage } from './serve-page.ts'

// The Content-Security-Policy of the pages. It can be strict, because the pages contain no inline script or style and their
// scripts send no requests.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Returns the relative URL from a page to the server's root, such as `../` for `/docs/flows`. */
const rootFor = (path: string): string => '../'.repeat(path.split('/').length - 2)

/**
 * Creates `/openapi.json` and the API reference at `/docs`, which is rendered from the OpenAPI document. All pages are
 * public, show no user data and load nothing from other origins.
 *
 * @param createDocument Creates the OpenAPI document. Called when the document is first needed, because creating it at
 * startup would delay every start.
 */
export const createDocs = (createDocument: () => OpenApiDocument): Router => {
  let document: OpenApiDocument | undefined
  const loadDocument = () => {
    document ??= createDocument()
    return document
  }
  let json: PublicFile | undefined
  let assets: DocsAssets | undefined
  const loadAssets = () => {
    assets ??= readDocsAssets()
    return assets
  }

  const createRenderer = async () => {
    // Most processes never serve the reference, so they do not load the libraries that render it.
    const { createDocsRenderer } = await import('./docs/render-docs.ts')
    const { style, theme, script } = loadAssets()
    const urls = { style: `docs/assets/${style}`, theme: `docs/assets/${theme}`, script: `docs/assets/${script}` }
    return createDocsRenderer({ document: loadDocument(), methodReference: readMethodReference(), assets: urls })
  }
  let renderer: ReturnType<typeof createRenderer> | undefined
  // Contains at most two entries per page, because each page has an address with and without a trailing slash.
  const pages = new Map<string, PublicFile>()
  const loadPage = async (name: string, root: string): Promise<PublicFile> => {
    const key = `${root}${name}`
    const cached = pages.get(key)
    if (cached) return cached
    renderer ??= createRenderer()
    const text = (await renderer)(name, root)
    if (text === undefined) throw notFound()
    const page = createFile('text/html', text)
    pages.set(key, page)
    return page
  }

  const sendPage = async (name: string, request: Request, response: Response): Promise<void> => {
    const page = await loadPage(name, rootFor(request.path))
    response.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Opener-Policy': 'same-origin' })
    await sendCurrent(request, response, page)
  }

  const router = Router()
  servePage(router, '/openapi.json', async (request, response) => {
    json ??= createFile('application/json', JSON.stringify(loadDocument()))
    await sendCurrent(request, response, json)
  })
  servePage(router, '/docs', (request, response) => sendPage('', request, response))
  servePage(router, '/docs/assets/:name', async (request, response) => {
    const asset = loadAssets().byName.get(request.params['name'] ?? '')
    if (!asset) throw notFound()
    response.set('Cache-Control', 'public, max-age=31536000, immutable')
    await sendFile(request, response, asset)
  })
  servePage(router, '/docs/problems/:code', (request, response) => sendPage(`problems/${request.params['code']}`, request, response))
  servePage(router, '/docs/:page', (request, response) => {
    const { page = '' } = request.params
    // A slash in `page` was percent-encoded in the URL. Such a URL is rejected, because the relative links in the page would be
    // wrong.
    if (page.includes('/')) throw notFound()
    return sendPage(page, request, response)
  })
  return router
}
