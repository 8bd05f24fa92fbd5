/** Only where a message says nothing itself: `:where` has no weight, and mail programs do not set text in Times. */
const prologue = '<!doctype html><meta charset="utf-8"><style>:where(body){font-family:system-ui,sans-serif}</style>'

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
