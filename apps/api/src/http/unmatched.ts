import type { AppRoute, AppRouter } from '@ts-rest/core'
import { isAppRoute } from '@ts-rest/core'
import type { RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'

const routesOf = (router: AppRouter): AppRoute[] =>
  Object.values(router).flatMap((node) => (isAppRoute(node) ? [node] : routesOf(node as AppRouter)))

const matcher = (path: string): RegExp => new RegExp(`^${path.replace(/:[a-z_]+/g, '[^/]+')}/?$`, 'i')

/**
 * Handles requests that match no route. If the path exists, responds with 204 to `OPTIONS` and with 405 to other methods. Both
 * responses list the supported methods in `Allow`. If the path does not exist, responds with 404.
 */
export const unmatched = (router: AppRouter): RequestHandler => {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { path, method } of routesOf(router)) {
    const entry = paths.get(path) ?? { pattern: matcher(path), methods: new Set<string>() }
    entry.methods.add(method)
    if (method === 'GET') entry.methods.add('HEAD')
    paths.set(path, entry)
  }
  return (request, response) => {
    const methods = new Set([...paths.values()].filter(({ pattern }) => pattern.test(request.path)).flatMap((entry) => [...entry.methods]))
    // `readPathLiterally` may have encoded `request.path` again.
    const path = request.originalUrl.split('?', 1)[0] ?? ''
    if (methods.size === 0) throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`)
    const allow = [...methods, 'OPTIONS'].join(', ')
    if (request.method === 'OPTIONS') {
      response.set('Allow', allow).status(204).end()
      return
    }
    throw new ApiError('method_not_allowed', `This resource supports ${[...methods].join(', ')}.`, { headers: { Allow: allow } })
  }
}
