import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { environmentFields, readConfig } from '../../src/config/config.ts'
import { readFromRepository, repositoryFolder } from '../support/guide-pages.ts'

const chart = join(repositoryFolder, 'ops/helm/flowpost')
const hasHelm = spawnSync('helm', ['version']).status === 0

/** Returns the manifests of the pods and the migration job. */
const renderPods = (...options: readonly string[]): string[] => {
  const args = ['template', 'flowpost', chart, '--values', join(chart, 'ci/all-values.yaml'), ...options]
  const { stdout, stderr, status } = spawnSync('helm', args, { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout.split(/^---$/m).filter((manifest) => /^kind: (?:Deployment|Job)$/m.test(manifest))
}

const variablesOf = (manifest: string): Record<string, string> =>
  Object.fromEntries(
    [...manifest.matchAll(/^ +- name: (\w+)\n +value: (".*")$/gm)].map(([, name, value = '']) => [name, JSON.parse(value) as string]),
  )

const expected = {
  FLOWPOST_EMAIL_FROM: 'Billing <billing@example.com>',
  FLOWPOST_LOG_CONTENT: 'off',
  FLOWPOST_QUEUE_LIMIT: '5000000',
  OTEL_SDK_DISABLED: 'true',
  OTEL_TRACES_SAMPLER_ARG: '0.05',
}

describe.skipIf(!hasHelm)('the Helm chart (needs helm)', () => {
  it('gives the migration job and the pods every variable of config, as text that the server accepts', () => {
    const pods = renderPods()
    expect(pods).toHaveLength(3)
    for (const pod of pods) expect(variablesOf(pod)).toMatchObject(expected)
    expect(readConfig(expected).config).toMatchObject({ logContent: false, queueLimit: 5_000_000 })
  })

  it('mounts the additional files and omits the fields of the security context that are null', () => {
    for (const pod of renderPods()) {
      expect(pod).toMatch(/^ {10}volumeMounts:\n {12}- mountPath: \/etc\/flowpost-ca\n/m)
      expect(pod).toMatch(/^ {6}volumes:\n {8}- configMap:\n {12}name: flowpost-ca\n/m)
      expect(pod).toMatch(/^ {8}runAsNonRoot: true$/m)
      expect(pod).not.toMatch(/runAsUser|runAsGroup/)
    }
    for (const pod of renderPods('--set', 'podSecurityContext.runAsUser=1000')) expect(pod).toMatch(/^ {8}runAsUser: 1000$/m)
  })
})

const readTemplate = (name: string) => readFromRepository(`ops/helm/flowpost/templates/${name}.yaml`)

// A release name of 49 characters gives "…-flowpost", whose first 50 characters end with "-". Kubernetes rejects such a name.
it('the names of the Helm chart do not end with "-" when they are truncated', () => {
  const truncations = readFromRepository('ops/helm/flowpost/templates/_helpers.tpl').match(/\| trunc .+?\}\}/g)
  expect(truncations).toEqual(Array(2).fill('| trunc 50 | trimSuffix "-" }}'))
})

it('the migration job and the pods of the Helm chart have the same variables, files and security context', () => {
  for (const template of [readTemplate('deployments'), readTemplate('migrate')]) {
    expect(template).toMatch(/ env:\n(?:.*\n)*? +\{\{- include "flowpost\.config" \$/)
    expect(template).toMatch(/^ {6}securityContext:\n {8}\{\{- toYaml \$?\.Values\.podSecurityContext \| nindent 8 \}\}$/m)
    expect(template).toMatch(/\.Values\.extraVolumeMounts \}\}\n {10}volumeMounts:\n {12}\{\{- toYaml \. \| nindent 12 \}\}$/m)
    expect(template).toMatch(/\.Values\.extraVolumes \}\}\n {6}volumes:\n {8}\{\{- toYaml \. \| nindent 8 \}\}$/m)
  }
})

describe('the schema of the Helm values', () => {
  const schema = JSON.parse(readFromRepository('ops/helm/flowpost/values.schema.json')) as object
  const accepts = new Ajv({ strict: false }).compile(schema)
  const networkPolicy = { ingressFrom: [{ podSelector: {} }], dnsTo: [{ podSelector: {} }], dnsPorts: [53], providerPorts: [443] }
  const values = { existingSecret: 'flowpost', networkPolicy }

  it('rejects the variables that the chart sets, and accepts others', () => {
    const env = readTemplate('deployments').split(' env:\n')[1] ?? ''
    const names = [...env.matchAll(/^ +- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name)
    expect(names).toContain('FLOWPOST_ROLE')
    for (const name of names) expect([name, accepts({ ...values, config: { [name]: 'api' } })]).toEqual([name, false])
    expect(accepts({ ...values, config: expected })).toBe(true)
  })

  // An empty or missing list in a network policy allows everything.
  it.each(Object.keys(networkPolicy))('rejects an empty list in networkPolicy.%s', (name) => {
    const { [name as keyof typeof networkPolicy]: _, ...others } = networkPolicy
    expect(accepts({ ...values, networkPolicy: { ...others, [name]: [] } })).toBe(false)
    expect(accepts({ ...values, networkPolicy: others })).toBe(false)
  })
})

// The chart renders a boolean of a FLOWPOST_ variable as `on` or `off`.
it('no FLOWPOST_ variable needs the value true or false', () => {
  for (const [name, field] of Object.entries(environmentFields)) {
    if (!name.startsWith('FLOWPOST_')) continue
    const accepts = (value: string) => field.safeParse(value).success
    expect([name, accepts('true'), accepts('false')]).toEqual([name, accepts('maybe'), accepts('maybe')])
  }
})
