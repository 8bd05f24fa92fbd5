import { existsSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { contentFolder } from '../src/content-folder.ts'
import { docsBase } from '../src/docs-base.ts'
import { extendMarkdown } from '../src/markdown-it.ts'
import { topLinks } from '../src/navigation.ts'
import { repositoryUrl } from '../src/repository.ts'
import { slugify } from '../src/slugify.ts'

const sidebarFile = `${contentFolder}sidebar.json`
if (!existsSync(sidebarFile)) throw new Error('The content is missing: run `pnpm docs:dev` or `pnpm docs:build`.')

const description =
  'Self-hosted notifications by email, chat and webhook: durable once accepted, typed from end to end, testable without a network.'

export default defineConfig({
  lang: 'en-US',
  title: 'Flowpost',
  description,
  base: docsBase,
  srcDir: '.content',
  // `public` contains Markdown files for language models. VitePress must not build pages from them.
  srcExclude: ['public/**'],
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  // The search index is large, but it is loaded only when a reader opens the search.
  vite: { build: { chunkSizeWarningLimit: 1_500 } },
  lastUpdated: false,
  metaChunk: true,
  head: [
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${docsBase}logo.svg` }],
  ],
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: extendMarkdown,
    image: { lazyLoading: true },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: topLinks,
    sidebar: JSON.parse(readFileSync(sidebarFile, 'utf8')),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    socialLinks: [{ icon: 'github', link: repositoryUrl, ariaLabel: 'Flowpost on GitHub' }],
    editLink: {
      text: 'Edit this page',
      // VitePress runs this function in the browser, where this file's variables do not exist.
      pattern: ({ frontmatter }) => `https://github.com/flowpost/flowpost/edit/main/${frontmatter['source']}`,
    },
    footer: { message: 'Released under the Apache-2.0 License.' },
    externalLinkIcon: true,
  },
})
