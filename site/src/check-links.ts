import { globSync, readFileSync } from 'node:fs'

const decode = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')

/** Returns the links in a built page. Code samples with links do not match, because their `<` is escaped. */
const linksIn = (html: string): string[] => [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = '']) => decode(href))

const idsIn = (html: string): ReadonlySet<string> => new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => decode(id)))

/** Returns the address of a built file, such as `/guides/events` for `guides/events.html`. */
export const addressOf = (file: string): string => `/${file.replace(/(?:^|(?<=\/))index\.html$/, '').replace(/\.html$/, '')}`

/**
 * Returns a built site's links to pages, files or anchors that do not exist, as `<page>: <link>`.
 * @param base the path at which the site is served, such as `/` or `/flowpost/`.
 */
export const findBrokenLinks = (folder: string, base: string): string[] => {
  const files = globSync('**/*', { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
  const others = new Set(files.filter((file) => !file.endsWith('.html')).map((file) => `/${file}`))
  const pages = new Map(
    files.filter((file) => file.endsWith('.html')).map((file) => [addressOf(file), readFileSync(`${folder}/${file}`, 'utf8')]),
  )
  const ids = new Map([...pages].map(([address, html]) => [address, idsIn(html)]))

  const isBroken = (from: string, href: string): boolean => {
    if (/^[a-z]+:/.test(href)) return false
    const url = new URL(href, `http://site${base}${from.slice(1)}`)
    if (!url.pathname.startsWith(base)) return true
    const path = decodeURIComponent(`/${url.pathname.slice(base.length)}`)
    const anchors = ids.get(path)
    if (anchors === undefined) return !others.has(path)
    const anchor = decodeURIComponent(url.hash.slice(1))
    return anchor !== '' && !anchors.has(anchor)
  }
  return [...pages].flatMap(([address, html]) =>
    [...new Set(linksIn(html))].filter((href) => isBroken(address, href)).map((href) => `${address}: ${href}`),
  )
}
