import { expect, it } from 'vitest'
import { logTopics } from '../../apps/api/src/log-help/log-help.ts'
import { checkPages } from '../../packages/cli/src/doctor/finding.ts'
import { createProblemPages } from './reference/problem-pages.ts'
import { readRepositoryFile } from './repository.ts'
import { slugify } from './slugify.ts'
import { sourceFiles } from './sources.ts'

const generated = ['/reference/log', '/reference/failures', ...createProblemPages().map(({ url }) => url)]
const ids = new Set(Object.values(logTopics).flatMap((lines) => lines.map(({ id }) => id)))

it.each(Object.entries(checkPages))('the page for the check %s exists', (_, address) => {
  const [page = '', anchor] = address.split('#')
  const source = sourceFiles().get(page)
  expect(source !== undefined || generated.includes(page)).toBe(true)
  if (anchor === undefined) return
  const anchors =
    source === undefined
      ? ids
      : new Set([...readRepositoryFile(source).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugify(heading)))
  expect([...anchors]).toContain(anchor)
})
