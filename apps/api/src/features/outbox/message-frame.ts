/**
 * Links ask for a new window, which the sandbox refuses: without that, a press on one would put the browser's
 * page about blocked content in the place of the message. The font is for messages that name none (`:where`
 * has no weight), since mail programs do not show those in Times.
 */
const prologue = '<!doctype html><meta charset="utf-8"><base target="_blank"><style>:where(body){font-family:system-ui,sans-serif}</style>'

/** Elements for which browsers open connections whatever the policy says, and what stands in their place. */
const replacements: Readonly<Record<string, string>> = {
  // `<link rel="preconnect">`. Has the same place in the syntax and does nothing.
  '<link': '<basefont',
  // Chromium connects to the host of a frame before it looks at `frame-src`.
  '<iframe': '<x-frame',
  '</iframe': '</x-frame',
  '<frame': '<x-frame',
}

/**
 * The document that shows a message's HTML in a frame. Its response must carry the headers that forbid it
 * everything; here only goes what no policy keeps from opening a connection, which would tell another host
 * that the message is read. A tag name cannot be written with character references, so this misses none.
 * Source: HTML Standard, sections 13.2.5.8 (tag name state) and 13.2.6.4.4 (in head).
 */
export const messageFrameDocument = (body: string): string =>
  prologue + body.replace(/<(?:link|\/?iframe|frame)(?=[\s/>])/gi, (tag) => replacements[tag.toLowerCase()] ?? '')
