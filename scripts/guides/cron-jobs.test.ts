import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { blocksIn, readFromRepository, repositoryFolder } from '../../apps/api/test/support/guide-pages.ts'

/** Returns the lines of the code blocks that follow a paragraph about cron. */
const jobsIn = (page: string): string[] =>
  [...page.matchAll(/^[^\n]*\bcron\b[^\n]*\n\n(```[\s\S]*?^```\n)/gm)].flatMap(([, block = '']) =>
    blocksIn(block).flatMap(({ code }) => code.trimEnd().split('\n')),
  )

const jobs = globSync('docs/**/*.md', { cwd: repositoryFolder }).flatMap((path) => jobsIn(readFromRepository(path)))

it('the documentation has a job for cron', () => {
  expect(jobs).not.toEqual([])
})

it.each(jobs)('cron runs the whole command of %s', (job) => {
  // A job has five time fields and a command. An unescaped percent sign would end the command; see crontab(5).
  expect(job).toMatch(/^(?:[\d*/,-]+ ){5}\S/)
  expect(job).not.toMatch(/(?<!\\)%/)
})
