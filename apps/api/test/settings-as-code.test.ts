import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const root = resolve(import.meta.dirname, '../../..')
const example = join(root, 'examples/settings-as-code')
const workflow = readFileSync(join(example, '.github/workflows/flowpost.yml'), 'utf8')

/** Returns the commands of a job, in order. */
const commandsOf = (job: string): string[] => {
  const [, steps = ''] = new RegExp(`^ {2}${job}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(workflow) ?? []
  return [...steps.matchAll(/^ {6}- run: (.+)$/gm)].map(([, command = '']) => command)
}

// A folder of programs in which `npx flowpost` runs the sources.
const programs = mkdtempSync(join(tmpdir(), 'flowpost-npx-'))
const cli = join(root, 'packages/cli/src/flowpost.ts')
writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" "$@"\n`, { mode: 0o755 })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(programs, { recursive: true })
})

/** Runs a command like a job step: the shell exits at the first command that fails. */
const runStep = (command: string): Promise<{ code: number; output: string }> => {
  const env = {
    ...childEnvironment,
    PATH: `${programs}:${childEnvironment['PATH']}`,
    HOME: programs,
    FLOWPOST_BASE_URL: server.url,
    FLOWPOST_API_KEY: server.keys.alice,
    BILLING_SMTP_PASSWORD: 'password',
    BILLING_SLACK_TOKEN: 'xoxb-1',
  }
  return new Promise((done) => {
    execFile('bash', ['-e', '-c', command], { cwd: example, env }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

/** Runs a job's commands, except npm commands, until one fails. Returns the exit code and the output of the job. */
const runJob = async (job: string): Promise<readonly [number, string]> => {
  let all = ''
  for (const command of commandsOf(job).filter((each) => !each.startsWith('npm '))) {
    const { code, output } = await runStep(command)
    all += output
    if (code !== 0) return [code, all]
  }
  return [0, all]
}

describe('the workflow of examples/settings-as-code', () => {
  it('has the expected commands', () => {
    expect(Object.fromEntries(['check', 'plan', 'apply', 'drift'].map((job) => [job, commandsOf(job)]))).toEqual({
      check: ['npm ci', 'npx flowpost validate', 'npm test'],
      plan: ['npm ci', 'npx flowpost plan || [ $? = 2 ]'],
      apply: ['npm ci', 'npx flowpost apply --yes', 'npx flowpost types --check'],
      drift: ['npm ci', 'npx flowpost drift'],
    })
  })

  it('plans, applies, and finds no difference afterwards, so the committed lock file matches the config file', async () => {
    expect(await runJob('check')).toEqual([0, expect.stringContaining('flowpost.config.ts is valid.')])
    expect(await runJob('plan')).toEqual([0, expect.stringContaining('5 to create, 0 to change, 0 to delete.')])
    expect(await runJob('apply')).toEqual([0, expect.stringMatching(/\nApplied\.\n[\s\S]*The files are up to date\.\n/)])
    expect(await runJob('plan')).toEqual([0, expect.stringContaining('Nothing would change.')])
    expect(await runJob('drift')).toEqual([0, expect.stringContaining('The server matches the file.')])
  })

  it('fails when somebody has changed a flow, and shows what the next apply would change back', async () => {
    const flowpost = server.client()
    const [project] = (await flowpost.projects.list()).data
    const { data: flows } = await flowpost.flows.list(project?.id ?? '')
    const alerts = flows.find(({ key }) => key === 'alerts')
    await flowpost.flows.patch(project?.id ?? '', alerts?.id ?? '', { message_template: '{{message}}' })
    expect(await runJob('drift')).toEqual([2, expect.stringContaining('flow alerts')])
    expect((await runStep('npx flowpost types --check')).code).toBe(2)
    expect(await runJob('plan')).toEqual([0, expect.stringContaining('0 to create, 1 to change, 0 to delete.')])
  })
})
