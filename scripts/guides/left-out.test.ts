import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readFromRepository, repositoryFolder } from '../../apps/api/test/support/guide-pages.ts'
import { leftOut } from './left-out.ts'
import { walks } from './walks.ts'

it('every guide is followed, or its commands are left out with a reason', () => {
  const guides = readdirSync(`${repositoryFolder}/docs/guides`).map((file) => file.replace('.md', ''))
  expect(guides.filter((guide) => walks[`guides/${guide}`] === undefined && leftOut[guide] === undefined)).toEqual([])
})

it('CONTRIBUTING.md lists the guides with blocks that are not run word for word', () => {
  const [, table = ''] =
    /These blocks are not run word for word[\s\S]*?\n\|[-|]+\n([\s\S]*?)\n\n/.exec(readFromRepository('CONTRIBUTING.md')) ?? []
  const guides = [...table.matchAll(/^\| \[\w+\]\(docs\/guides\/([\w-]+)\.md\) \|/gm)].map(([, guide]) => guide)
  expect(guides.toSorted()).toEqual(Object.keys(leftOut).toSorted())
})
