import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createMachine } from './support/run-cli.ts'

const program = fileURLToPath(new URL('../src/flowpost.ts', import.meta.url))
const { home } = createMachine()

/** A module that prints each loaded package and each loaded command, and ends the process at its first output. */
const reportModules = `
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({
  load(url, context, next) {
    const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1] ?? /packages\\/(cli\\/src\\/(?:commands|dev|import)\\/.*)\\.ts$/.exec(url)?.[1]
    if (name) writeSync(2, 'loaded ' + name + '\\n')
    return next(url, context)
  },
})
process.on('beforeExit', () => process.exit())
for (const stream of [process.stdout, process.stderr])
  stream.write = (text) => {
    writeSync(2, 'first output: ' + text + '\\n')
    process.exit()
  }`

/**
 * Returns the packages and commands that the program loads before its first output, and the first line of that output.
 */
const loadUntilOutput = (...args: string[]) => {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(reportModules)}`, program, ...args],
    {
      encoding: 'utf8',
      cwd: home,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '', FLOWPOST_BASE_URL: 'http://127.0.0.1:9', FLOWPOST_API_KEY: 'fp_x' },
    },
  )
  return {
    loaded: [...new Set([...stderr.matchAll(/^loaded (.+)$/gm)].map(([, name]) => name ?? ''))],
    output: /^first output: (.*)$/m.exec(stderr)?.[1] ?? stderr,
  }
}

beforeAll(() => {
  writeFileSync(join(home, 'flowpost.config.ts'), `export default { project: { key: 'billing', name: 'Billing' }, flows: {} }\n`)
})

// Every module that is loaded before the first output delays that output. Unlike the delay itself, the list of modules does
// not depend on the speed of the machine.
describe('until its first output, the program loads', () => {
  it.each([
    [['--help'], 'Usage: flowpost', []],
    [['--version'], '0.', []],
    [['log'], 'http://127.0.0.1:9, ', ['cli/src/commands/log']],
    [['send', 'Hi', '--subject', 's'], 'http://127.0.0.1:9, ', ['cli/src/commands/send']],
    [['plan'], 'http://127.0.0.1:9, ', ['cli/src/commands/plan']],
    [['apply', '--yes'], 'http://127.0.0.1:9, ', ['cli/src/commands/apply']],
    [['drift'], 'http://127.0.0.1:9, ', ['cli/src/commands/drift']],
  ])('for %j, only the parser and its command', (args, start, commands) => {
    const { loaded, output } = loadUntilOutput(...args)
    expect(output).toContain(start)
    expect(loaded.filter((name) => !/^fast-(?:string|wrap)/.test(name)).sort()).toEqual([...commands, 'commander'].sort())
  })

  it('for `validate`, also the TypeScript loader', () => {
    const { loaded, output } = loadUntilOutput('validate')
    expect([output, loaded]).toEqual([expect.stringContaining('valid'), expect.arrayContaining(['jiti', 'cli/src/commands/validate'])])
  })
})
