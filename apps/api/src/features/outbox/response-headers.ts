import type { Request, Response } from 'express'

const shared = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Once off it stays off: a message cannot turn name look-ups for its links on again.
  'X-DNS-Prefetch-Control': 'off',
} as const

const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  // Also keeps a link or form inside the framed message from taking the frame to another host.
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

/** Headers of the outbox's own pages: nothing inline, nothing from elsewhere, never in a frame. */
export const setPageHeaders = (response: Response): void => {
  response.set({
    ...shared,
    'Content-Security-Policy': pagePolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
  })
}

/**
 * Headers of what a sender wrote: an opaque origin without scripts, forms or pop-ups, which may load nothing
 * but images that it carries itself, and which only the outbox may frame. They hold however it is opened.
 * Source: Content Security Policy Level 3, sections 6.3.2 and 6.4.2.
 */
export const setMessageHeaders = (response: Response): void => {
  response.set({ ...shared, 'Content-Security-Policy': messagePolicy, 'X-Frame-Options': 'SAMEORIGIN' })
}

/**
 * Whether a page of another origin asked for this. Browsers say so in `Sec-Fetch-Site`; other programs send
 * no such field. Another port of localhost is `same-site`, and counts as another origin too.
 */
export const isCrossOrigin = (request: Request): boolean => {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** Whether the request opens a page in a tab of its own, as a followed link does. */
export const isTopLevelNavigation = (request: Request): boolean =>
  request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
