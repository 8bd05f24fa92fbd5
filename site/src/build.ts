// Runs `pnpm docs:build`: writes the content, builds the site into `site/dist`, and checks its links, its pages and its search.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findBrokenLinks } from './check-links.ts'
import { findPageIssues } from './check-pages.ts'
import { findUnansweredQuestions } from './check-questions.ts'
import { writeContent } from './content.ts'
import { docsBase } from './docs-base.ts'

const site = fileURLToPath(new URL('..', import.meta.url))

const pages = await writeContent()
execFileSync(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '.'], { cwd: site, stdio: 'inherit' })
const broken = findBrokenLinks(`${site}dist`, docsBase)
if (broken.length > 0) {
  console.error(`Broken links:\n${broken.join('\n')}`)
  process.exit(1)
}
const issues = findPageIssues(`${site}dist`)
if (issues.length > 0) {
  console.error(`Mistakes in the built pages:\n${issues.join('\n')}`)
  process.exit(1)
}
const unanswered = await findUnansweredQuestions(`${site}dist`, docsBase)
if (unanswered.length > 0) {
  console.error(`The search does not find the right page for these questions:\n${unanswered.join('\n')}`)
  process.exit(1)
}
console.log(`Built ${pages.length} pages in site/dist. All links work, and the search finds the right page for every test question.`)
