import { describe, expect, it } from 'vitest'
import { allChecks } from '../checks.ts'
import type { Mutant } from '../mutant.ts'
import { runMutant, type Verdict } from '../run-mutant.ts'
import { createDeployments } from './deployments.ts'

const file = 'packages/testing/src/features/projects.ts'
const mutant: Mutant = {
  name: 'the mock returns no Location for a new project',
  file,
  find: 'headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) }',
  replace: 'headers: { ETag: etagOf(project) }',
  killedBy: /^projects\.create 201: creates a project/,
}

const run = async (changed: Mutant): Promise<Verdict> => {
  await using deployments = createDeployments()
  return await runMutant(changed, {
    // Only the expected checks run, because all of them would take too long.
    checks: allChecks.filter(({ name }) => changed.killedBy.test(name)),
    createProgram: () => deployments.create('mock', changed),
    checkTimeoutMs: 30_000,
  })
}

describe('a mutant of the mock', () => {
  it('runs in another process and is killed by a scenario', async () => {
    expect(await run(mutant)).toMatchObject({
      outcome: 'killed',
      by: 'projects.create 201: creates a project with a trimmed, NFC-normalized name',
      isExpected: true,
      reason: expect.stringContaining('Location'),
    })
  })

  it('survives if it changes nothing', async () => {
    expect(await run({ ...mutant, replace: mutant.find })).toEqual({ outcome: 'survived' })
  })

  it('is invalid if its code cannot be parsed', async () => {
    expect(await run({ ...mutant, replace: 'headers: {{' })).toMatchObject({
      outcome: 'invalid',
      reason: expect.stringContaining('The program exited with 1:'),
    })
  })

  it('is invalid if its text is not in the file', async () => {
    expect(await run({ ...mutant, find: 'no such code' })).toMatchObject({
      outcome: 'invalid',
      reason: expect.stringContaining('its text `find` is not in the file'),
    })
  })
})
