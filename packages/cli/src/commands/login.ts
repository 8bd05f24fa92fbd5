import { isFlowpostError } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { describeKey, readKeyFacts, requireKey } from '../environments/key-facts.ts'
import { isLoopback } from '../environments/loopback.ts'
import { formatOverride, readOverride } from '../environments/override.ts'
import { requireServerUrl } from '../environments/server-url.ts'
import { addExamples } from '../examples.ts'
import { readStdin } from '../input/read-stdin.ts'
import type { Io } from '../io.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const defaultUrl = 'http://localhost:3000'
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

const readUrl = async (option: string | undefined, { env, stdin, prompts }: Io): Promise<string> => {
  const given = option ?? env['FLOWPOST_BASE_URL']
  if (given) return given
  if (!stdin.isTTY) throw new CliError('There is no URL.', 'Pass it with --url.')
  const answer = await prompts.text('URL of the server', defaultUrl)
  if (answer === undefined) throw new CliError('Canceled. Nothing was stored.')
  return answer === '' ? defaultUrl : answer
}

const readKey = async ({ stdin, prompts }: Io): Promise<string> => {
  const key = stdin.isTTY ? await prompts.secret('API key') : await readStdin(stdin)
  if (key === undefined) throw new CliError('Canceled. Nothing was stored.')
  if (key.trim() === '') throw new CliError('There is no key.', 'Enter it at the prompt, or pipe it to standard input.')
  requireKey(key.trim())
  return key.trim()
}

/** Checks the key by listing projects. If the server reports a missing scope, the key is valid. */
const checkKey = async ({ createClient, io }: CommandContext, environment: { baseUrl: string; apiKey: string }): Promise<void> => {
  try {
    // A wrong URL should fail quickly.
    await createClient(environment, { maxRetries: 1 }).projects.list({ limit: 1 }, { signal: io.signal }).withResponse()
  } catch (error) {
    if (isFlowpostError(error) && error.code === 'scope_missing') return
    throw error
  }
}

/** Returns a name for the server at a URL: its host, or `local` for this machine. */
const nameOf = (baseUrl: string): string => {
  const { hostname } = new URL(baseUrl)
  return isLoopback(hostname) ? 'local' : hostname.replace(/[^A-Za-z0-9.-]/g, '')
}

/** `flowpost login`: stores a server and an API key under a name. */
export const defineLogin: DefineCommand = (command, context) => {
  const { io, output, environmentsFile } = context
  addExamples(
    command,
    'flowpost login',
    'flowpost login production --url https://flowpost.example.com < key.txt',
    'flowpost log --env production',
  )
  command.addHelpText(
    'after',
    `\nThe key is read from a prompt or from standard input. As an argument, it would be visible to other users and in the shell history.\nThe key is stored in ${environmentsFile.path}.`,
  )
  command
    .argument('[name]', 'a name for this server (default: its host, or "local" for this machine)')
    .option('--url <url>', `the URL of the server (default: FLOWPOST_BASE_URL)`)
    .option('--no-check', 'store the key without checking it with the server')
    .action(async (givenName, options) => {
      if (givenName !== undefined && !namePattern.test(givenName))
        throw new CliError(
          `The name ${givenName} is not valid.`,
          'Use up to 64 letters, digits, hyphens, underscores and periods, starting with a letter or a digit.',
        )
      const baseUrl = (await readUrl(options.url, io)).replace(/\/+$/, '')
      requireServerUrl(baseUrl, options.url === undefined && io.env['FLOWPOST_BASE_URL'] ? 'FLOWPOST_BASE_URL' : undefined)
      const override = await readOverride(io)
      const name = givenName ?? nameOf(baseUrl)
      const { protocol, hostname } = new URL(baseUrl)
      if (protocol === 'http:' && !isLoopback(hostname))
        output.warn('The connection is not encrypted, so others on the network can read the key. Use https.')
      const apiKey = await readKey(io)
      if (options.check) await output.withProgress('Checking the key', () => checkKey(context, { baseUrl, apiKey }))
      await environmentsFile.update(({ named }) => ({ current: name, named: new Map([...named, [name, { baseUrl, apiKey }]]) }))
      output.print(
        `Stored ${toSafeLine(baseUrl)} as ${name} (${toSafeLine(describeKey(readKeyFacts(apiKey)))}). It is now the current server.`,
      )
      output.printJson({ name, base_url: baseUrl, key_id: readKeyFacts(apiKey).id })
      if (override) output.warn(formatOverride(override, name))
    })
}
