import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../src/settings/load-config.ts'
import { createMachine } from './support/run-cli.ts'

const { home, run } = createMachine()
const pathOf = (name: string) => join(home, name)
const flowsOf = async (name?: string) => ((await loadConfig(name, home)).value as { flows: object }).flows

const textConfig = `# Operations
critical, ops = slack://xoxb-S3cret/C024BE91L
discord://1234/T0ken
include http://example.com/other
everyone = critical, ops
; a comment
nonsense
`

const yamlConfig = `version: 1
tag: all
include: other.yaml
urls:
  - discord://1234/T0ken
  - slack://xoxb-S3cret/:
      - to: C024BE91L
        tag: [critical]
      - to: C0000000B
  - mailtos://ann:S3cret@example.com:
      to: ops@example.com
  - url: jsons://example.com/hook
    method: put
  - 7
`

describe('an Apprise configuration', () => {
  it('in the text format becomes flows with tags, and other lines are listed with reasons', async () => {
    writeFileSync(pathOf('apprise.conf'), textConfig)
    const result = await run(['import', 'apprise', 'apprise.conf', '--json'])
    expect(result.code).toBe(0)
    expect(await flowsOf()).toMatchObject({
      'slack-c024be91l': { name: 'C024BE91L (critical, ops)', source_type: 'slack', target: 'C024BE91L' },
      'discord-1': { source_type: 'discord', target: 'discord-1' },
    })
    expect(result.json()).toEqual({
      files: [{ path: pathOf('flowpost.config.ts'), project_key: 'apprise', flows: 2 }],
      variables: ['APPRISE_SLACK_TOKEN', 'APPRISE_DISCORD_URL_1'],
      missing_variables: ['APPRISE_SLACK_TOKEN', 'APPRISE_DISCORD_URL_1'],
      not_mapped: [
        { origin: 'line 4', reason: expect.stringContaining('"include"') },
        { origin: 'line 5', reason: 'Flowpost has no tag groups.' },
        { origin: 'line 7', reason: 'This is neither a URL nor a comment.' },
      ],
    })
    expect(result.stdout + readFileSync(pathOf('flowpost.config.ts'), 'utf8')).not.toContain('S3cret')
  })

  it("in YAML becomes flows, with an entry's keys as parameters", async () => {
    writeFileSync(pathOf('apprise.yaml'), yamlConfig)
    const { code, stdout } = await run(['import', 'apprise', 'apprise.yaml', '-o', 'yaml.config.ts'])
    expect(code).toBe(0)
    expect(Object.entries(await flowsOf('yaml.config.ts')).map(([key, { name }]) => [key, name])).toEqual([
      ['discord-1', 'discord-1 (all)'],
      ['slack-c024be91l', 'C024BE91L (all, critical)'],
      ['slack-c0000000b', 'C0000000B (all)'],
      ['smtp-ops-example-com', 'ops@example.com (all)'],
    ])
    expect(stdout).toMatch(/^include {2}Files and URLs after "include" are not read/m)
    expect(stdout).toContain('urls[3]  Flowpost sends POST requests only.\nurls[4]  This is not a URL.\n')
    expect(stdout).toContain(
      `Wrote ${pathOf('yaml.config.ts')} with 4 flows.\nSet these environment variables before \`flowpost apply\`:\n`,
    )
    expect(stdout).toContain('\n  APPRISE_SMTP_PASSWORD\n')
  })

  it('is read from the standard input, and --tag selects services', async () => {
    const { code } = await run(['import', 'apprise', '-', '--tag', 'critical', '-o', 'tag.ts'], { stdin: textConfig })
    expect([code, Object.keys(await flowsOf('tag.ts'))]).toEqual([0, ['slack-c024be91l']])
  })

  it('with two accounts for a provider becomes flows for the first account', async () => {
    const stdin = 'slack://xoxb-1/C024BE91L\nslack://xoxb-2/C0000000B\nslack://xoxb-1/C024BE91L'
    const result = await run(['import', 'apprise', '-', '--json', '-o', 'two.ts'], { stdin })
    expect(Object.keys(await flowsOf('two.ts'))).toEqual(['slack-c024be91l'])
    expect(result.json().not_mapped).toEqual([
      { origin: 'line 2', reason: expect.stringContaining('A project can have only one slack account') },
      { origin: 'line 3', reason: 'The config already has a flow for C024BE91L.' },
    ])
  })

  it.each([
    [['missing.conf'], undefined, 'There is no file missing.conf.'],
    [['-'], 'urls: [', 'The configuration is not valid YAML'],
    [['-', '--project', 'Not A Key'], 'discord://1/t', 'The project is not valid: /project/key'],
  ])('is rejected: %j', async (args, stdin, message) => {
    const result = await run(['import', 'apprise', ...args, '-o', 'rejected.ts'], stdin === undefined ? {} : { stdin })
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(existsSync(pathOf('rejected.ts'))).toBe(false)
  })

  it.each([
    ['pass: *S3cretPassword', 'The configuration is not valid YAML: an alias is unknown, or there are too many aliases.'],
    ['pass: S3cret: Password', 'The configuration is not valid YAML: line 3, column 13.'],
    ['pass: "S3cret\\q word"', 'The configuration is not valid YAML: line 3, column 20.'],
    ['pass: !S3cret x\n      pass: 2', 'The configuration is not valid YAML: line 4, column 7.'],
  ])('that is not valid is rejected without showing a secret: %s', async (line, message) => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const result = await run(['import', 'apprise', '-', '-o', 'rejected.ts'], {
      stdin: `urls:\n  - mailtos://u@example.com:\n      ${line}\n`,
    })
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    expect(result.stderr + JSON.stringify(warned.mock.calls)).not.toContain('S3cret')
    warned.mockRestore()
  })
})

describe('the files of an import', () => {
  const args = ['import', 'apprise', '-', '-o', 'files.config.ts', '--secrets-file', 'files.env']

  it('are overwritten only with --force, all or none', async () => {
    writeFileSync(pathOf('files.env'), 'MINE=1\n')
    const rejected = await run(args, { stdin: 'discord://1/t' })
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining(`${pathOf('files.env')} exists.`) })
    expect(existsSync(pathOf('files.config.ts'))).toBe(false)
    expect(readFileSync(pathOf('files.env'), 'utf8')).toBe('MINE=1\n')
    expect(await run([...args, '--force'], { stdin: 'discord://1/t' })).toMatchObject({ code: 0 })
    expect(readFileSync(pathOf('files.env'), 'utf8')).toContain('APPRISE_DISCORD_URL_1=')
  })

  it('are private if they contain secrets', async () => {
    writeFileSync(pathOf('files.env'), '')
    chmodSync(pathOf('files.env'), 0o644)
    await run([...args, '--force'], { stdin: 'discord://1/t' })
    expect(statSync(pathOf('files.env')).mode & 0o777).toBe(0o600)
  })

  it('contain only the name of a secret that a shell would change', async () => {
    const { stdout } = await run([...args, '--force'], { stdin: `mailtos://ann:it%27s%24HOME@example.com` })
    expect(readFileSync(pathOf('files.env'), 'utf8')).toBe('# APPRISE_SMTP_PASSWORD=\n')
    expect(stdout).toMatch(/Set these environment variables before `flowpost apply`:\n {2}APPRISE_SMTP_PASSWORD\n$/)
  })

  it('have every secret unchanged when a shell or Node reads them, or list it as missing', { timeout: 60_000 }, async () => {
    const special = fc.constantFrom(
      "'",
      '"',
      '`',
      '$(touch ran)',
      '$HOME',
      '\\',
      '\\n',
      '!',
      '#',
      ' ',
      '\n',
      '\0',
      'é',
      '\u{1f600}',
      '=',
      ';',
    )
    const part = fc.oneof(
      special,
      fc.string({ unit: 'binary', maxLength: 3 }).filter((text) => text.isWellFormed()),
    )
    const secret = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(''))
      .filter((text) => text !== '')
    const readInShell = (): string =>
      execFileSync('sh', ['-ec', 'set -a && . ./files.env && set +a && printf %s "$APPRISE_SMTP_PASSWORD"'], {
        cwd: home,
        encoding: 'utf8',
      })
    await fc.assert(
      fc.asyncProperty(secret, async (value) => {
        const stdin = `mailtos://ann:${encodeURIComponent(value).replaceAll("'", '%27')}@example.com`
        const result = await run([...args, '--force', '--json'], { stdin })
        const isMissing = result.json().missing_variables.length > 0
        // A value without quotes and control characters can always be written.
        if (!/['\p{Cc}]/u.test(value)) expect(isMissing).toBe(false)
        const file = readFileSync(pathOf('files.env'), 'utf8')
        expect(readInShell()).toBe(isMissing ? '' : value)
        expect(parseEnv(file)['APPRISE_SMTP_PASSWORD']).toBe(isMissing ? undefined : value)
      }),
      { numRuns: 200, examples: [["it's"], ["it's$HOME"], [`a'$(touch ran)`], [`a'"b; touch ran; echo "'c`], ["o'neil\\new"]] },
    )
    expect(existsSync(pathOf('ran'))).toBe(false)
  })

  it('pass validate, whatever the URLs contain', { timeout: 60_000 }, async () => {
    const schema = fc.constantFrom('mailto', 'mailtos', 'mailgun', 'slack', 'discord', 'workflows', 'json', 'jsons')
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => value.isWellFormed()),
      fc.constantFrom(
        'xoxb-1',
        '1234',
        'C024BE91L',
        'a@example.com',
        'a.logic.azure.com',
        '${`\\',
        "'",
        '\u202e',
        '__proto__',
        'x'.repeat(400),
      ),
    )
    const name = fc.constantFrom('to', 'from', 'name', 'reply', 'smtp', 'mode', 'region', 'sig', '-q', 'user', '__proto__')
    const params = fc.array(fc.tuple(name, text), { maxLength: 3 })
    const url = fc
      .tuple(schema, fc.array(text, { minLength: 1, maxLength: 3 }), params, fc.option(text))
      .map(([kind, path, query, user]) => {
        const credentials = user === null ? '' : `${encodeURIComponent(user)}:p@`
        const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
        return `${kind}://${credentials}${path.map(encodeURIComponent).join('/')}?${search}`
      })
    await fc.assert(
      fc.asyncProperty(fc.array(url, { minLength: 1, maxLength: 12 }), async (urls) => {
        const stdin = ['always=discord://1/t', ...urls.map((line) => `t = ${line}`)].join('\n')
        expect(await run(['import', 'apprise', '-', '-o', 'any.ts', '--force'], { stdin })).toMatchObject({ code: 0, stderr: '' })
        expect(await run(['validate', 'any.ts'])).toMatchObject({ code: 0, stderr: '' })
      }),
      { numRuns: 100 },
    )
  })
})
