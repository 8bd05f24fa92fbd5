import type { Request, Response } from 'express'

const shared = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Turns DNS prefetching off. The HTML of a message cannot turn it on again.
  'X-DNS-Prefetch-Control': 'off',
} as const

const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  // Frames can load only from this server. A link or form in a framed message cannot make the frame load another host.
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const messagePolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * Sets the headers for the outbox's own pages. The headers allow no inline code, no content from other origins, and no
 * framing of the pages.
 */
export const setPageHeaders = (response: Response): void => {
  response.set({
    ...shared,
    'Content-Security-Policy': pagePolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
  })
}

/**
 * Sets the headers for untrusted message content. The content gets an opaque origin. It cannot run scripts, submit forms
 * or open pop-ups, and loads nothing but `data:` images. Only the outbox may frame it. The headers also apply when the
 * content is opened outside the frame. Source: Content Security Policy Level 3, sections 6.3.2 and 6.4.2.
 */
export const setMessageHeaders = (response: Response): void => {
  response.set({ ...shared, 'Content-Security-Policy': messagePolicy, 'X-Frame-Options': 'SAMEORIGIN' })
}

/**
 * Returns whether a page from another origin sent the request. Browsers state this in `Sec-Fetch-Site`. Other programs do
 * not send this header, so the result for their requests is `false`. Another port of localhost is `same-site` and counts
 * as another origin.
 */
export const isCrossOrigin = (request: Request): boolean => {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** Returns whether the request opens a page in a tab, as following a link does. */
export const isTopLevelNavigation = (request: Request): boolean =>
  request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
