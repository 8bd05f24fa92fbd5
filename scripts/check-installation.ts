// Installs the packed packages by name with npm, as users do, on every installed Node. Follows the first section of the README
// of @flowpost/cli word for word, in an empty folder and with an empty home folder. The dependencies come from the registry that
// npm is configured to use. If that registry cannot be reached, the checks are skipped; in CI, they fail.
import { type SpawnOptionsWithStdioTuple, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFree } from './free-port.ts'
import { findNodes, versionOf } from './nodes.ts'
import { createEmptyHomeEnvironment } from './packages/empty-home.ts'
import { startRegistry } from './packages/local-registry.ts'
import { packPackage } from './packages/pack.ts'
import { publishedFolders, readManifest, root } from './packages/published.ts'

const readyText = 'Commands in this folder use this server.'
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowpost-installation-')))

/** Returns the code blocks in a section of the README, in order. */
const readBlocks = (heading: string): string[] => {
  const readme = readFileSync(join(root, 'packages/cli/README.md'), 'utf8')
  const section = readme.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** Creates a home folder with a project folder `billing`. Returns functions that run commands there with one Node version. */
const createPerson = (node: string, registry: string) => {
  const home = join(folder, `home-${versionOf(node)}`)
  const cwd = join(home, 'billing')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, '.npmrc'), `@flowpost:registry=${registry}\nupdate-notifier=false\n`)
  const env = {
    ...createEmptyHomeEnvironment(node, home),
    // This machine's npm settings, which name the registry for the dependencies.
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
  }
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const options = { cwd, env, detached: true, stdio } satisfies SpawnOptionsWithStdioTuple<'ignore', 'pipe', 'pipe'>
  const start = (commands: string) => spawn('bash', ['-eo', 'pipefail', '-c', commands], options)
  const run = async (commands: string): Promise<{ code: number | null; output: string }> => {
    const child = start(commands)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code: child.exitCode, output: stdout + stderr }
  }
  return { cwd, start, run }
}

type Person = ReturnType<typeof createPerson>

const expectCode = async (person: Person, commands: string, code = 0): Promise<string> => {
  const result = await person.run(commands)
  if (result.code !== code) throw new Error(`The commands exited with ${result.code} instead of ${code}: ${commands}\n${result.output}`)
  return result.output
}

const expectText = (output: string, expected: string): void => {
  if (!output.includes(expected)) throw new Error(`Expected "${expected}" in:\n${output}`)
}

/** Starts a server, sends the README's message, and checks that the outbox shows it. */
const sendFirstMessage = async (person: Person, dev: string, send: string): Promise<void> => {
  const child = person.start((await isFree(3000)) ? dev : `${dev.trim()} --port 0`)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (output += part))
  try {
    while (!output.includes(readyText)) {
      if (child.exitCode !== null) throw new Error(`The server exited before it was ready:\n${output}`)
      await sleep(100)
    }
    expectText(output, 'flowpost.config.ts to the project billing: 2 created')
    expectText(await expectCode(person, send), 'is sent.')
    const [, outbox = ''] = /^ {2}outbox +(\S+)$/m.exec(output) ?? []
    const page = await (await fetch(outbox)).text()
    for (const shown of ['Invoice 42', 'ops@example.com']) expectText(page, shown)
    const [, message = ''] = /<a id="[^"]+" href="([^"]+)"/.exec(page) ?? []
    expectText(await (await fetch(new URL(`${message}/frame`, outbox))).text(), '<h1>Invoice 42</h1>It is ready.')
  } finally {
    const closed = child.exitCode === null ? once(child, 'close') : undefined
    if (child.pid !== undefined && closed) process.kill(-child.pid, 'SIGINT')
    await closed
  }
}

let failed = false
const check = async (title: string, work: () => Promise<unknown>): Promise<void> => {
  const startedAt = performance.now()
  try {
    await work()
    console.log(`ok      ${title}, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  } catch (error) {
    failed = true
    console.log(`FAILED  ${title}\n${error instanceof Error ? error.message : String(error)}`)
  }
}

const registry = await startRegistry(publishedFolders().map((source) => packPackage(source, folder)))
try {
  const [install = '', config = '', dev = '', send = '', ...others] = readBlocks('The first five minutes')
  if (send === '' || others.length > 0)
    throw new Error('The first section of the README of @flowpost/cli must have four code blocks. If it has changed, update this check.')
  const needed = Number(/\d+/.exec(readManifest(join(root, 'packages/server')).engines.node)?.[0])
  for (const node of findNodes()) {
    const version = versionOf(node)
    const person = createPerson(node, registry.url)
    const probe = await person.run('npm view commander version')
    if (probe.code !== 0 && process.env['CI'] !== 'true') {
      console.log(`skipped installation on Node ${version}: ${probe.output.trim()}`)
      continue
    }
    await check(`npx @flowpost/server on Node ${version}`, async () => {
      const isSupported = Number.parseInt(version, 10) >= needed
      const output = await expectCode(person, 'npx --yes @flowpost/server --help', isSupported ? 0 : 1)
      expectText(
        output,
        isSupported ? 'Starts the Flowpost server' : `@flowpost/server needs Node ${needed} or later. This is Node ${version}.`,
      )
    })
    await check(`README of @flowpost/cli on Node ${version}`, async () => {
      await expectCode(person, install)
      writeFileSync(join(person.cwd, 'flowpost.config.ts'), config)
      if (Number.parseInt(version, 10) >= needed) return sendFirstMessage(person, dev, send)
      await expectCode(person, 'npx flowpost validate')
      expectText(await expectCode(person, dev, 1), `@flowpost/server needs Node ${needed} or later. This is Node ${version}.`)
    })
  }
} finally {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
