import { posix } from 'node:path'
import { repositoryUrl, siteUrl } from './repository.ts'

/** The dependencies of {@link rewriteLinks}. */
export interface LinkTargets {
  /** The addresses of the pages, keyed by the path of the page's file in the repository. */
  readonly urls: ReadonlyMap<string, string>
  /** Returns whether a path exists in the repository. */
  readonly exists: (path: string) => boolean
  /** Publishes an image from the repository and returns its address. */
  readonly publishImage: (path: string) => string
}

/** The site's pages that replace sections of the README, by anchor. Links to other sections of the README point to GitHub. */
const readmePages: Readonly<Record<string, string>> = {
  '': '/',
  readme: '/',
  start: '/get-started',
  'send-a-first-message': '/get-started',
}

const fence = /^ {0,3}(```+|~~~+)/
const inlineCode = /(`+)[\s\S]*?\1/g
const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g

/** Applies a function to each line of a Markdown text, except to lines in code blocks. */
const mapProse = (markdown: string, map: (line: string) => string): string => {
  let open: string | undefined
  return markdown
    .split('\n')
    .map((line) => {
      const [, marker] = fence.exec(line) ?? []
      if (open === undefined && marker === undefined) return map(line)
      if (open === undefined) open = marker
      else if (marker?.startsWith(open) && line.trim() === marker) open = undefined
      return line
    })
    .join('\n')
}

/** Returns the repository path that a link points to, or `undefined` for a link to another site. */
const repositoryPath = (source: string, target: string): string | undefined => {
  if (target.startsWith(repositoryUrl)) return target.slice(repositoryUrl.length).replace(/^\/(?:blob|tree)\/main\/?/, '') || 'README.md'
  if (/^[a-z]+:/.test(target)) return undefined
  return posix.join(posix.dirname(source), target)
}

/**
 * Rewrites the links in a Markdown file for the site. A link to a file that is a page points to the page, and a link to
 * any other file points to GitHub. Images are published with the site.
 * @throws Error if a link points to a file that does not exist.
 */
export const rewriteLinks = (markdown: string, source: string, targets: LinkTargets): string => {
  const resolve = (target: string, isImage: boolean): string => {
    if (target.startsWith(`${siteUrl}/`)) return target.slice(siteUrl.length)
    const [path = '', hash] = target.split('#')
    if (path === '' || path.startsWith('/')) return target
    const file = repositoryPath(source, path)?.replace(/\/$/, '')
    if (file === undefined) return target
    const anchor = hash === undefined ? '' : `#${hash}`
    if (isImage) return targets.publishImage(file)
    const readmePage = file === 'README.md' ? readmePages[hash ?? ''] : undefined
    if (readmePage !== undefined) return readmePage
    const url = targets.urls.get(file) ?? targets.urls.get(`${file}/README.md`)
    if (url !== undefined) return anchor === '#readme' ? url : `${url}${anchor}`
    if (target.startsWith(repositoryUrl) && /^(?:issues|security|releases|discussions)\b/.test(file.replace(/^\//, ''))) return target
    if (!targets.exists(file)) throw new Error(`${source} links to ${target}, which does not exist.`)
    return `${repositoryUrl}/blob/main/${file}${anchor}`
  }
  return mapProse(markdown, (line) => {
    const codes: string[] = []
    // Replaces inline code with placeholders, so that links in code stay unchanged and a link text can contain any code.
    const masked = line.replace(inlineCode, (code) => `\ue000${codes.push(code) - 1}\ue000`)
    const linked = masked.replace(
      link,
      (_, bang: string, text: string, target: string) => `${bang}[${text}](${resolve(target, bang === '!')})`,
    )
    return linked.replace(/\ue000(\d+)\ue000/g, (_, index: string) => codes[Number(index)] ?? '')
  })
}
