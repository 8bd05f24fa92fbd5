import type { RequestHandler } from 'express'

const isDecodable = (segment: string): boolean => {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

/**
 * Reads a path segment that cannot be decoded, such as `%FF`, as literal text. The segment then is an unknown id like any
 * other. Express would reject the request before authentication and the rate limit.
 */
export const readPathLiterally: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?')
  if (path.includes('%')) {
    const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')))
    request.url = [segments.join('/'), ...query].join('?')
  }
  next()
}
