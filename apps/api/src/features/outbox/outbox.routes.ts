import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import { readAssets } from './assets.ts'
import { isCrossOrigin, isTopLevelNavigation, setMessageHeaders, setPageHeaders } from './browser-security.ts'
import type { CapturedMessage, OutboxStore, OutboxViewer } from './outbox.queries.ts'
import type { OutboxAccess, OutboxSignIn } from './outbox-access.ts'
import { type PageContext, renderNotice } from './pages/layout.ts'
import { renderListPage } from './pages/list-page.ts'
import { readListQuery } from './pages/list-query.ts'
import { messageFrameDocument } from './pages/message-content.ts'
import { type MessageView, messageViews, renderMessagePage, sourceFileOf } from './pages/message-page.ts'

/** The dependencies of {@link createOutboxRouter}. */
export interface OutboxRouterDeps {
  readonly store: OutboxStore
  /** Checks a request's access; see `createOutboxAccess`. */
  readonly authorize: (request: Request) => Promise<OutboxAccess>
}

const pageSize = 50
const idPattern = /^dlv_\w{1,60}$/
const hostPattern = /^[\w.:[\]-]+$/

const isAssetRequest = ({ method, path }: Request): boolean => (method === 'GET' || method === 'HEAD') && path.startsWith('/assets/')

/**
 * Creates the router for the outbox pages, which work without scripts. Every route is read-only, accepts GET and HEAD,
 * and calls `authorize` first. If the result is `hidden`, the request falls through to the application, so the path
 * looks like any unknown path. Errors from `store` and `authorize` go to the application's error handler.
 *
 * Routes: `/` list, `/:id` message, `/:id/{html,text,headers,source}` views, `/:id/frame` HTML for the sandboxed frame,
 * `/:id/raw` download, `/assets/:name` static files.
 */
export const createOutboxRouter = ({ store, authorize }: OutboxRouterDeps): Router => {
  const assets = readAssets()
  const router = express.Router({ caseSensitive: true })

  const contextOf = (request: Request): PageContext => {
    const host = request.headers.host ?? ''
    // The origin becomes part of a shell command that users copy, so a Host header with unexpected characters is not used.
    return { assets, basePath: request.baseUrl, origin: `${request.protocol}://${hostPattern.test(host) ? host : 'localhost:3000'}` }
  }

  const notice = (request: Request, response: Response, status: number, heading: string, explanation: string, action?: string): void => {
    setPageHeaders(response)
    response
      .status(status)
      .type('html')
      .send(renderNotice(contextOf(request), heading, explanation, action))
  }

  /** Sets the cookie and redirects to the list. The redirect removes the token from the address bar and the history. */
  const signIn = (request: Request, response: Response, { cookie }: OutboxSignIn): void => {
    setPageHeaders(response)
    response.cookie(cookie.name, cookie.value, { httpOnly: true, sameSite: 'strict', path: request.baseUrl, secure: request.secure })
    response.redirect(303, `${request.baseUrl}/`)
  }

  const askForLink = (request: Request, response: Response): void => {
    // Browsers omit the SameSite=Strict cookie when a link on another site opens this page. This header makes the browser
    // reload the page at once, and the new request includes the cookie if the browser has one.
    if (isCrossOrigin(request)) response.set('Refresh', '0')
    notice(
      request,
      response,
      403,
      'Open the printed link',
      'The outbox opens with the link that Flowpost prints when it starts. Each start prints a new link, and earlier links stop working.',
      'Try again',
    )
  }

  const viewerOf = (response: Response): OutboxViewer => response.locals['outboxViewer'] as OutboxViewer

  const withMessage =
    (respond: (request: Request, response: Response, message: CapturedMessage) => void) =>
    async (request: Request<{ id: string }>, response: Response): Promise<void> => {
      const { id } = request.params
      const message = idPattern.test(id) ? await store.get(viewerOf(response), id) : null
      if (message !== null) return respond(request, response, message)
      notice(
        request,
        response,
        404,
        'No such message',
        'There is no captured message at this address. Messages are deleted after their retention time.',
      )
    }

  const showView = (requested?: MessageView) =>
    withMessage((request, response, message) => {
      const views = messageViews(message)
      const view = requested ?? views[0]
      if (!views.includes(view)) return notice(request, response, 404, 'No such view', `This message has no ${view} part.`)
      setPageHeaders(response)
      response.type('html').send(renderMessagePage(contextOf(request), message, view))
    })

  router.use(async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const access = await authorize(request)
    if (access === 'hidden') return next('router')
    // Browsers without access may load the style sheet, script and icon. The pages "Sign in" and "Open the printed link" need
    // these files. They are the same in every installation, so they are not secret.
    if (typeof access === 'string' && isAssetRequest(request)) return next()
    if (access === 'unauthorized') {
      response.set('WWW-Authenticate', 'Basic realm="Flowpost outbox", charset="UTF-8"')
      const hint = 'For the password, enter an API key that has all scopes and all projects. The user name is ignored.'
      return notice(request, response, 401, 'Sign in', hint)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.set('Allow', 'GET, HEAD')
      return notice(request, response, 405, 'Read-only', 'The outbox accepts only GET and HEAD requests.')
    }
    // A link on another website may open an outbox page in a tab, but not a framed message or a download. All other requests
    // from other origins are rejected.
    const opensPage = isTopLevelNavigation(request) && !/\/(?:frame|raw)\/?$/.test(request.path)
    if (isCrossOrigin(request) && !opensPage)
      return notice(request, response, 403, 'Forbidden', 'The outbox rejects requests that other websites send.')
    if (access === 'link-required') return askForLink(request, response)
    if ('cookie' in access) return signIn(request, response, access)
    response.locals['outboxViewer'] = access
    next()
  })

  router.get('/assets/:name', (request, response) => {
    const asset = assets.byName.get(request.params.name)
    if (asset === undefined) return notice(request, response, 404, 'No such file', 'The outbox has no static file with this name.')
    setPageHeaders(response)
    response.set('Cache-Control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.body)
  })

  router.get('/', async (request, response) => {
    const query = readListQuery(request.originalUrl)
    const { before, sourceType } = query
    const page = await store.list(viewerOf(response), {
      limit: pageSize,
      ...(before !== undefined && { before }),
      ...(sourceType !== undefined && { sourceType }),
    })
    setPageHeaders(response)
    response.type('html').send(renderListPage(contextOf(request), query, page))
  })

  router.get('/:id', showView())
  router.get('/:id/html', showView('html'))
  router.get('/:id/text', showView('text'))
  router.get('/:id/headers', showView('headers'))
  router.get('/:id/source', showView('source'))

  router.get(
    '/:id/frame',
    withMessage((request, response, message) => {
      if (message.html === null) return notice(request, response, 404, 'No such view', 'This message has no HTML part.')
      setMessageHeaders(response)
      response.type('html').send(messageFrameDocument(message.html))
    }),
  )

  router.get(
    '/:id/raw',
    withMessage((_request, response, message) => {
      const { type, extension } = sourceFileOf(message)
      setMessageHeaders(response)
      response.set('Content-Disposition', `attachment; filename="${message.id}.${extension}"`).type(type)
      // The body is sent as bytes, because Express would add a charset parameter to the content type of a string. The parameter
      // is not needed: the message declares its own encoding.
      response.send(Buffer.from(message.raw))
    }),
  )

  router.use((request, response) => notice(request, response, 404, 'No such page', 'The outbox has no page with this address.'))

  return router
}
