import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Flowpost, type FlowpostLock, isFlowpostError, type SettingsApply } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const workspace = resolve(import.meta.dirname, '../../..')
const { mock: server, run, home } = await startCliServer()

/** The settings that were deployed when the consumer committed its files. */
const deployed = {
  project: { key: 'billing', name: 'Billing' },
  flows: [
    {
      key: 'alerts',
      name: 'Alerts',
      active: true,
      source_type: 'slack',
      target: 'C024BE91L',
      override_target: true,
      message_template: '{{message}}',
      message_template_type: 'text/plain',
    },
    {
      key: 'ops-mail',
      name: 'Operations',
      active: true,
      source_type: 'smtp',
      target: 'ops@example.com',
      override_target: false,
      message_template: '<p>{{message}}</p>',
      message_template_type: 'text/html',
    },
  ],
  integrations: [{ source_type: 'smtp', settings: { host: 'mail.example.com', from: 'billing@example.com' } }],
} satisfies SettingsApply

/** The consumer's program. */
const program = `import { createFlowpost } from '@flowpost/client'
const { notifications } = createFlowpost()
const text = { subject: 'Invoice 42', message: 'It is ready.' }
export const sends = [
  () => notifications.send({ project: 'billing', flow: 'ops-mail', ...text }),
  () => notifications.send({ project: 'billing', flow: 'alerts', ...text, target: 'C0CUSTOMER' }),
  () => notifications.send({ project: 'billing', ...text }),
]
`

/** The consumer's config file, which has no secrets. */
const { project, flows, integrations } = deployed
const config = {
  project,
  flows: Object.fromEntries(flows.map(({ key, ...flow }) => [key, flow])),
  integrations: Object.fromEntries(integrations.map(({ source_type, settings }) => [source_type, { settings }])),
}
writeFileSync(join(home, 'flowpost.config.ts'), `export default ${JSON.stringify(config)}`)

mkdirSync(join(home, 'node_modules/@flowpost'), { recursive: true })
symlinkSync(join(workspace, 'packages/client'), join(home, 'node_modules/@flowpost/client'))
symlinkSync(join(workspace, 'node_modules/@types'), join(home, 'node_modules/@types'))
writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
const files = ['flowpost.d.ts', 'program.ts']
writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ extends: join(workspace, 'tsconfig.base.json'), files }))
writeFileSync(join(home, 'program.ts'), program)

const compiled = new Map<string, boolean>()

/** Returns whether the program compiles with the current declarations. */
const compiles = (): boolean => {
  const declarations = readFileSync(join(home, 'flowpost.d.ts'), 'utf8')
  const known = compiled.get(declarations)
  if (known !== undefined) return known
  const { status } = spawnSync(process.execPath, [join(workspace, 'node_modules/typescript/bin/tsc'), '-p', home], { cwd: home })
  compiled.set(declarations, status === 0)
  return status === 0
}

/**
 * Sends the notifications of {@link program} to a mock with the settings in `lock`, as the consumer's tests would. Returns the
 * error codes, and the messages that the mock delivered.
 */
const messagesWith = async (lock: FlowpostLock): Promise<unknown[]> => {
  const mock = createFlowpostMock({ lock, credentials: ['slack', 'discord'] })
  const { notifications } = mock.client()
  const text = { subject: 'Invoice 42', message: 'It is ready.' }
  const names = [{ flow: 'ops-mail' }, { flow: 'alerts', target: 'C0CUSTOMER' }, {}]
  const codes: (string | undefined)[] = []
  for (const name of names)
    await notifications.send({ project: 'billing', ...name, ...text }).catch((error: unknown) => {
      codes.push(isFlowpostError(error) ? error.code : undefined)
    })
  return [codes, mock.outbox.map(({ source_type, target, subject, text, html }) => ({ source_type, target, subject, text, html }))]
}

const readLock = () => JSON.parse(readFileSync(join(home, 'flowpost.lock.json'), 'utf8')) as FlowpostLock

type Detector = 'drift' | 'check' | 'tsc' | 'tests' | 'onDrift'

type Change = (flowpost: Flowpost, projectId: string) => Promise<unknown>

/**
 * Deploys the settings, commits the consumer's files, changes the server, and returns the detectors that notice the
 * change.
 */
const detect = async (change: Change, withTargets = false): Promise<Detector[]> => {
  server.reset()
  const flowpost = server.client()
  const { project_id } = await flowpost.settings.apply(deployed)
  const types = ['types', ...(withTargets ? ['--with-targets'] : ['--without-targets'])]
  expect(await run([...types, '--project', 'billing'])).toMatchObject({ code: 0 })
  const lock = readLock()
  const before = await messagesWith(lock)
  expect([(await run(['types', '--check'])).code, (await run(['drift'])).code, compiles()]).toEqual([0, 0, true])

  await change(flowpost, project_id ?? '')
  let hasDrifted = false
  const onDrift = () => {
    hasDrifted = true
  }
  const client = server.client({ lock, onDrift })
  await client.notifications.send({ project: 'billing', subject: 'a', message: 'b' }).catch(() => {})
  const noticed: Detector[] = hasDrifted ? ['onDrift'] : []
  if ((await run(['drift'])).code === 2) noticed.push('drift')
  if ((await run(['types', '--check'])).code === 2) noticed.push('check')
  // The consumer runs its compiler and its tests with the new files.
  const isGone = (await run(types)).code !== 0
  if (isGone) return noticed
  if (!compiles()) noticed.push('tsc')
  if (JSON.stringify(await messagesWith(readLock())) !== JSON.stringify(before)) noticed.push('tests')
  return noticed
}

const patch =
  (key: string, fields: object) =>
  async (flowpost: Flowpost, projectId: string): Promise<unknown> => {
    for await (const flow of flowpost.flows.list(projectId)) if (flow.key === key) return flowpost.flows.patch(projectId, flow.id, fields)
    throw new Error(`There is no flow ${key}.`)
  }

const remove = (key: string) => async (flowpost: Flowpost, projectId: string) => {
  for await (const flow of flowpost.flows.list(projectId)) if (flow.key === key) await flowpost.flows.delete(projectId, flow.id)
}

const newFlow = { key: 'new', name: 'New', source_type: 'slack', target: 'C0NEWTARGET' }
const always = ['onDrift', 'drift', 'check'] as const

/**
 * Every field of a project, and the detectors that notice a change to it. `tests` run on a mock that starts from the
 * lock file.
 */
const rows: readonly (readonly [name: string, change: Change, noticedBy: readonly Detector[]])[] = [
  // No project has the key `billing` anymore. A send fails with 404, so `onDrift` is not called. `types` fails, so `tsc` and
  // `tests` do not run. `drift` exits with 1 instead of 2: it would create the project `billing`, but its name is taken.
  ['the key of the project', (flowpost, id) => flowpost.projects.update(id, { name: 'Billing', key: 'invoices' }), ['check']],
  ['the name of the project', (flowpost, id) => flowpost.projects.update(id, { name: 'Invoices' }), always],
  ['the key of a flow', patch('ops-mail', { key: 'operations' }), [...always, 'tsc', 'tests']],
  ['the name of a flow', patch('ops-mail', { name: 'Ops' }), always],
  ['active', patch('ops-mail', { active: false }), [...always, 'tests']],
  ['source_type', patch('ops-mail', { source_type: 'mailgun' }), [...always, 'tests']],
  ['target', patch('ops-mail', { target: 'new@example.com' }), always],
  ['override_target of a flow whose target is overridden', patch('alerts', { override_target: false }), [...always, 'tsc', 'tests']],
  ['override_target of another flow', patch('ops-mail', { override_target: true }), always],
  ['message_template', patch('ops-mail', { message_template: '<b>{{message}}</b>' }), [...always, 'tests']],
  ['message_template_type', patch('ops-mail', { message_template_type: 'text/plain' }), [...always, 'tests']],
  ['a new flow', (flowpost, id) => flowpost.flows.create(id, newFlow), [...always, 'tests']],
  ['a deleted flow', remove('ops-mail'), [...always, 'tsc', 'tests']],
  [
    'the settings of an integration',
    (flowpost, id) => flowpost.integrations.put(id, 'smtp', { settings: { host: 'mail.example.com', from: 'new@example.com' } }),
    always,
  ],
  ['a new integration', (flowpost, id) => flowpost.integrations.put(id, 'slack', { settings: {}, secrets: { token: 'xoxb-a' } }), always],
  ['a deleted integration', (flowpost, id) => flowpost.integrations.delete(id, 'smtp'), [...always, 'tests']],
]

it.each(rows)('a change to %s is noticed', async (_, change, noticedBy) => {
  const noticed = await detect(change)
  expect(new Set(noticed)).toEqual(new Set(noticedBy))
  // `check` notices every change before a deployment. `onDrift` notices changes only afterwards.
  expect(noticed).toContain('check')
})

it('a change to a target is noticed by tests if the lock file contains the targets', async () => {
  expect(await detect(patch('ops-mail', { target: 'new@example.com' }), true)).toEqual([...always, 'tests'])
})

it('the table above has a row for every field of a flow', () => {
  const named = rows.map(([name]) => name).join()
  for (const field of Object.keys(deployed.flows[0] ?? {})) expect(named).toMatch(new RegExp(`\\b${field}\\b`))
})
