import type { DefaultTheme } from 'vitepress'
import type { Page } from './page.ts'
import { versionLabel } from './reference/versions-page.ts'

type Item = DefaultTheme.SidebarItem

/** A sidebar group: `pages` in the given order, then all other pages whose address starts with `rest`. */
interface Group {
  readonly text: string
  readonly pages: readonly string[]
  readonly rest?: string
}

/** Sidebar labels for pages whose title is too long or is the name of a package. */
const labels: Readonly<Record<string, string>> = {
  '/reference/sdk': 'TypeScript SDK',
  '/reference/sdk-methods': 'SDK methods',
  '/reference/sdk-errors': 'SDK errors and retries',
  '/reference/sdk-versions': 'SDK versions',
  '/reference/testing': 'Mock server and test tools',
  '/reference/delivery': 'Delivery providers',
  '/reference/cli': 'Command line',
  '/reference/cli-commands': 'Commands',
  '/reference/problems': 'All problem codes',
  '/decisions/': 'All decisions',
  '/project/versions': 'Versions',
}

const learn: readonly Group[] = [
  { text: 'Start', pages: ['/get-started', '/comparison'] },
  {
    text: 'Concepts',
    pages: ['/concepts/overview', '/concepts/message-path', '/concepts/states', '/concepts/retries', '/concepts/fairness'],
    rest: '/concepts/',
  },
  {
    text: 'Guides',
    pages: [
      '/guides/smtp',
      '/guides/mailgun',
      '/guides/slack',
      '/guides/discord',
      '/guides/teams',
      '/guides/webhooks',
      '/guides/idempotency',
      '/guides/testing',
      '/guides/settings-as-code',
      '/guides/events',
      '/guides/receipts',
      '/guides/privacy',
      '/guides/custom-provider',
    ],
    rest: '/guides/',
  },
  {
    text: 'Move to Flowpost',
    pages: ['/guides/move-from-queue', '/guides/move-from-apprise', '/guides/move-from-novu'],
  },
  {
    text: 'Operate',
    pages: [
      '/operate/production',
      '/guides/kubernetes',
      '/guides/sizing',
      '/guides/monitoring',
      '/operate/alerts',
      '/operate/telemetry',
      '/guides/upgrading',
      '/guides/backup',
      '/guides/failover',
      '/operate/high-availability',
      '/operate/performance',
      '/operate/benchmarks',
    ],
    rest: '/operate/',
  },
]

const reference: readonly Group[] = [
  { text: 'HTTP API', pages: ['/reference/api/', '/reference/problems', '/reference/events'], rest: '/reference/api/' },
  {
    text: 'TypeScript',
    pages: [
      '/reference/sdk',
      '/reference/sdk-methods',
      '/reference/sdk-errors',
      '/reference/sdk-versions',
      '/reference/testing',
      '/reference/delivery',
    ],
  },
  { text: 'Command line', pages: ['/reference/cli', '/reference/cli-commands'] },
  { text: 'Packages', pages: ['/reference/packages/client', '/reference/packages/client-operations'], rest: '/reference/packages/' },
  { text: 'Server', pages: ['/reference/configuration', '/reference/failures', '/reference/log', '/reference/metrics'] },
]

const problems: readonly Group[] = [{ text: 'Problem codes', pages: ['/reference/problems'], rest: '/problems/' }]

const project: readonly Group[] = [
  { text: 'Project', pages: ['/project/architecture', '/project/contributing', '/project/security', '/project/versions'] },
  { text: 'Decisions', pages: ['/decisions/'], rest: '/decisions/' },
]

const items = (groups: readonly Group[], pages: readonly Page[]): Item[] => {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  const listed = new Set(groups.flatMap((group) => group.pages))
  const toItem = ({ url, title }: Page): Item => ({ text: labels[url] ?? title, link: url })
  return groups.map(({ text, pages: urls, rest }) => {
    const first = urls.flatMap((url) => byUrl.get(url) ?? [])
    const others = rest === undefined ? [] : pages.filter(({ url }) => url.startsWith(rest) && !listed.has(url))
    return { text, items: [...first, ...others].map(toItem) }
  })
}

/** Returns the site's sidebars, keyed by the start of a page's address. */
export const createSidebar = (pages: readonly Page[]): Record<string, Item[]> => {
  return {
    '/reference/': items(reference, pages),
    '/problems/': items([...problems, ...reference], pages),
    '/decisions/': items(project, pages),
    '/project/': items(project, pages),
    '/': items(learn, pages),
  }
}

/** The links at the top of each page. */
export const topLinks: DefaultTheme.NavItem[] = [
  { text: 'Get started', link: '/get-started', activeMatch: '^/get-started' },
  { text: 'Guides', link: '/concepts/overview', activeMatch: '^/(guides|concepts|operate|comparison)' },
  { text: 'Reference', link: '/reference/api/', activeMatch: '^/(reference|problems)' },
  { text: 'Project', link: '/project/architecture', activeMatch: '^/(project(?!/versions)|decisions)' },
  { text: versionLabel(), link: '/project/versions', activeMatch: '^/project/versions' },
]
