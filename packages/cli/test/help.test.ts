import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandTable } from '../src/command-table.ts'
import { createMachine } from './support/run-cli.ts'

const { home, run } = createMachine()
const subcommands = [
  'events tail',
  'events listen',
  'import apprise',
  'import notify',
  'env list',
  'env use',
  'env remove',
  'keys list',
  'keys create',
  'keys revoke',
  'suppressions list',
  'suppressions add',
  'suppressions remove',
]

describe('help', () => {
  it.each([...commandTable.map(({ name }) => name), ...subcommands])('for %s has a description and an example', async (name) => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: flowpost ${name} ?.*\\n\\n\\S.+\\n`))
    expect(stdout).toMatch(/\nExamples:\n {2}\$ \S/)
    expect(stdout).toContain('--json')
  })

  it('is shown without arguments, with `help` and with `help send`', async () => {
    const { code, stdout } = await run([])
    expect(code).toBe(0)
    for (const { name } of commandTable) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    expect(await run(['help'])).toMatchObject({ code: 0, stdout })
    expect(await run(['help', 'help'])).toMatchObject({ code: 0, stdout })
    expect((await run(['help', 'send'])).stdout).toBe((await run(['send', '--help'])).stdout)
  })

  it('prints the version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  it.each([
    [['sned'], "Error: Unknown command 'sned'\n(Did you mean send?)\n"],
    [['log', '--statuss', 'x'], "Error: Unknown option '--statuss'\n(Did you mean --status?)\n"],
    [['sned', '--help'], "Error: Unknown command 'sned'\n(Did you mean send?)\n"],
    [['help', 'sned'], "Error: Unknown command 'sned'\n(Did you mean send?)\n"],
    [['help', 'keys', 'make'], "Error: Too many arguments for 'keys'."],
    [['send', '--', '--json'], 'Error: There is no subject.\n'],
    [['watch'], "Error: Missing required argument 'id'\n"],
    [['retry', 'a', 'b'], 'Error: Too many arguments'],
    [['log', '--timeout', 'soon'], 'It must be a duration, such as 30s'],
  ])('explains how to correct %j, with exit code 1', async (args, message) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  })

  it.each([
    [['--json', 'sned'], "Unknown command 'sned'", 'Did you mean send?'],
    [['log', '--statuss', 'x', '--json'], "Unknown option '--statuss'", 'Did you mean --status?'],
    [['watch', '--json'], "Missing required argument 'id'", null],
    [['suppressions', '--json'], 'A command is missing.', 'Add --help to see the commands.'],
    [['log', '--json', '--timeout', 'soon'], expect.stringContaining('It must be a duration, such as 30s'), null],
  ])('describes the error in %j as one line of JSON', async (args, message, hint) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1])
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'usage', message, hint } })
  })
})

describe('completion', () => {
  const suggest = async (...words: string[]) => (await run(['completion', '--suggest', '--', ...words])).stdout.split('\n').filter(Boolean)

  it.each([
    [['se'], ['send']],
    [
      ['keys', ''],
      ['list', 'create', 'revoke'],
    ],
    [['log', '--sta'], ['--status']],
    [
      ['log', '--status', 'sen'],
      ['sending', 'sent'],
    ],
    [['--json', 'log', '--failure-kind', 'ex'], ['expired']],
    [
      ['keys', 'create', 'ci', '--scope', 'notifications:'],
      ['notifications:send', 'notifications:read'],
    ],
    [['send', '--js'], ['--json']],
    [['completion', 'z'], ['zsh']],
    [['send', '--file', ''], []],
    [['unknown', ''], []],
  ])('of %j suggests %j', async (words, expected) => {
    expect(await suggest(...words)).toEqual(expected)
  })

  it('suggests the stored servers', async () => {
    await run(['login', 'production', '--url', 'http://localhost', '--no-check'], { stdin: 'fp_x' })
    expect(await suggest('log', '--env', '')).toEqual(['production'])
    expect(await suggest('env', 'use', 'p')).toEqual(['production'])
  })

  it('rejects an unknown shell', async () => {
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 1, stderr: expect.stringContaining('Shells: bash, zsh, fish.') })
  })
})

// A program named flowpost that runs the CLI from source.
const bin = join(home, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'flowpost'), `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, '../src/flowpost.ts')}" "$@"\n`)
chmodSync(join(bin, 'flowpost'), 0o755)

/** Runs a shell script that can use flowpost's completion. */
const runShell = (shell: string, args: readonly string[], program: string) =>
  spawnSync(shell, [...args, '-c', program], {
    encoding: 'utf8',
    env: { ...process.env, HOME: home, PATH: `${bin}:${process.env['PATH']}` },
  })

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

const bash = (line: string) => `source <(flowpost completion bash)
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _flowpost; printf '%s\\n' "\${COMPREPLY[@]}"`

describe('the completion script', () => {
  it.skipIf(!hasShell('bash')).each([
    ['flowpost wat', 'watch\n'],
    ['flowpost keys ', 'list\ncreate\nrevoke\n'],
    ['flowpost keys create ci --scope notifications:s', 'send\n'],
  ])('works in bash: %s', (line, expected) => {
    expect(runShell('bash', ['--norc'], bash(line))).toMatchObject({ status: 0, stdout: expected, stderr: '' })
  })

  it.skipIf(!hasShell('zsh'))('works in zsh', () => {
    const program = `compdef() { :; }; compadd() { print -l -- \${(P)2}; }; _files() { print files; }
source <(flowpost completion zsh)
words=(flowpost keys ''); CURRENT=3; _flowpost
words=(flowpost send --file ''); CURRENT=4; _flowpost`
    expect(runShell('zsh', ['-f'], program)).toMatchObject({ status: 0, stdout: 'list\ncreate\nrevoke\nfiles\n', stderr: '' })
  })

  it.skipIf(!hasShell('fish'))('works in fish', () => {
    const program = `flowpost completion fish | source; complete --do-complete 'flowpost keys '`
    const { status, stdout } = runShell('fish', ['--no-config'], program)
    expect([status, stdout.trim().split('\n').sort()]).toEqual([0, ['create', 'list', 'revoke']])
  })
})
