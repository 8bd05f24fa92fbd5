import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentFields, readConfig } from '../../src/config/config.ts'
import { readFromRepository, repositoryFolder } from '../support/guide-pages.ts'

const chart = join(repositoryFolder, 'ops/helm/flowpost')
const hasHelm = spawnSync('helm', ['version']).status === 0

/** Returns the environment variables of each container that the chart starts, in the order of the manifests. */
const renderVariables = (): Record<string, string>[] => {
  const { stdout, stderr, status } = spawnSync('helm', ['template', 'flowpost', chart, '--values', join(chart, 'ci/all-values.yaml')], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return stdout
    .split(/^---$/m)
    .filter((manifest) => /^kind: (?:Deployment|Job)$/m.test(manifest))
    .map((manifest) =>
      Object.fromEntries(
        [...manifest.matchAll(/^ +- name: (\w+)\n +value: (".*")$/gm)].map(([, name, value = '']) => [name, JSON.parse(value) as string]),
      ),
    )
}

const expected = {
  FLOWPOST_EMAIL_FROM: 'Billing <billing@example.com>',
  FLOWPOST_LOG_CONTENT: 'off',
  FLOWPOST_QUEUE_LIMIT: '5000000',
  OTEL_SDK_DISABLED: 'true',
  OTEL_TRACES_SAMPLER_ARG: '0.05',
}

describe.skipIf(!hasHelm)('the Helm chart (needs helm)', () => {
  it('gives the migration job and the pods every variable of config, as text that the server accepts', () => {
    const containers = renderVariables()
    expect(containers).toHaveLength(3)
    for (const variables of containers) expect(variables).toMatchObject(expected)
    expect(readConfig(expected).config).toMatchObject({ logContent: false, queueLimit: 5_000_000 })
  })
})

it('the migration job and the pods of the Helm chart have the same variables', () => {
  for (const template of ['deployments', 'migrate'])
    expect(readFromRepository(`ops/helm/flowpost/templates/${template}.yaml`)).toMatch(
      / env:\n(?:.*\n)*? +\{\{- include "flowpost\.config" \$/,
    )
})

// The chart renders a boolean of a FLOWPOST_ variable as `on` or `off`.
it('no FLOWPOST_ variable needs the value true or false', () => {
  for (const [name, field] of Object.entries(environmentFields)) {
    if (!name.startsWith('FLOWPOST_')) continue
    const accepts = (value: string) => field.safeParse(value).success
    expect([name, accepts('true'), accepts('false')]).toEqual([name, accepts('maybe'), accepts('maybe')])
  }
})
