import type { ApiKey } from '@flowpost/client'
import { InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { readKeyFacts } from '../environments/key-facts.ts'
import { addExamples } from '../examples.ts'
import { createTimeReader } from '../input/read-time.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'
import { explainUnknownOutcome } from '../unknown-outcome.ts'

const scopes = ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read'] as const

type Scope = (typeof scopes)[number]

const addScope = (text: string, given: readonly Scope[] = []): Scope[] => {
  const scope = scopes.find((candidate) => candidate === text)
  if (scope === undefined) throw new InvalidArgumentError(`Scopes: ${scopes.join(', ')}.`)
  return [...given, scope]
}

const list = async ({ connect, io, output }: CommandContext): Promise<void> => {
  const { flowpost, environment } = await connect()
  const keys = await output.withProgress('Reading', async () => {
    const found: ApiKey[] = []
    for await (const key of flowpost.apiKeys.list({ limit: 1000 }, { signal: io.signal })) found.push(key)
    return found
  })
  const ownId = readKeyFacts(environment.apiKey).id
  output.printTable(
    ['ID', 'NAME', 'MODE', 'SCOPES', 'PROJECT', 'EXPIRES', 'LAST USED'],
    keys.map(({ id, name, mode, scopes, project_id, expires_at, last_used_at }) => [
      `${toSafeLine(id)}${id === ownId ? ' (this key)' : ''}`,
      toSafeLine(name),
      toSafeLine(mode),
      toSafeLine(scopes.join(' ')),
      toSafeLine(project_id ?? 'all'),
      expires_at === null ? 'never' : formatTime(expires_at),
      last_used_at === null ? 'never' : formatTime(last_used_at),
    ]),
  )
  output.printJson({ keys })
}

const defineCreate: DefineCommand = (command, { connect, io, output }) => {
  addExamples(
    command,
    'flowpost keys create "billing service" --project billing --scope notifications:send',
    'flowpost keys create ci --test --expires 30d --json | jq -r .key',
  )
  command.addHelpText('after', '\nThe key is shown once. It is limited to the scopes, project and expiry of your own key.')
  const scopeOption = command
    .createOption('--scope <scope>', 'a scope; can be repeated (default: all scopes of your key)')
    .argParser(addScope)
  scopeOption.argChoices = [...scopes]
  command
    .argument('<name>', 'a name that identifies who uses the key')
    .addOption(scopeOption)
    .option('-p, --project <project>', 'bind the key to this project, by id, key or name')
    .option('--expires <time>', 'when the key expires, such as 30d or 2027-01-01', createTimeReader(io.now, 1))
    .option('--test', 'a test key: its messages are captured, not sent')
    .action(async (name, options) => {
      const { flowpost } = await connect()
      const { signal } = io
      const explain = () =>
        output.warn('If the key was created, it is lost: the server returns it only once. Run `flowpost keys`, and revoke the key.')
      const key = await output.withProgress('Creating', async () => {
        const body = {
          name,
          scopes: options.scope,
          project_id: options.project === undefined ? undefined : await findProjectId(flowpost, options.project),
          expires_at: options.expires,
          mode: options.test ? ('test' as const) : undefined,
        }
        return explainUnknownOutcome(() => flowpost.apiKeys.create(body, { signal }), { signal, explain })
      })
      output.note(`Created ${toSafeLine(key.id)}. Store the key now: it is not shown again.`)
      output.print(toSafeLine(key.key))
      output.printJson(key)
      await output.warnIfLost(`The key may be lost: the server returns it only once. Revoke it: flowpost keys revoke ${toSafeLine(key.id)}`)
    })
}

const defineRevoke: DefineCommand = (command, { connect, io, output }) => {
  addExamples(command, 'flowpost keys revoke key_01jd3k8x5rf2vbq9m7w4t6y0ae', 'flowpost keys revoke key_01jd3k8x5rf2vbq9m7w4t6y0ae --yes')
  command
    .argument('<id>', 'the id of the key, from `flowpost keys list`')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id, options) => {
      const { flowpost, environment } = await connect()
      const isOwn = readKeyFacts(environment.apiKey).id === id
      if (!options.yes) {
        if (!io.stdin.isTTY || output.isJson) throw new CliError('Revoking needs confirmation.', 'Pass --yes.')
        const subject = isOwn ? `${id}, which is the key that this command uses,` : id
        if (!(await io.prompts.confirm(`Revoke ${toSafeLine(subject)} and all keys that were created with it?`)))
          throw new CliError('Not confirmed. Nothing was revoked.')
      }
      await output.withProgress('Revoking', () => flowpost.apiKeys.delete(id, { signal: io.signal }))
      output.print(`Revoked ${toSafeLine(id)}.`)
      output.printJson({ revoked: id })
    })
}

/** `flowpost keys`: lists, creates and revokes API keys. */
export const defineKeys: DefineCommand = (command, context) => {
  addExamples(command, 'flowpost keys', 'flowpost keys create ci --test', 'flowpost keys revoke key_01jd3k8x5rf2vbq9m7w4t6y0ae')
  command.action(() => list(context))
  const listCommand = command.command('list').description('list the keys (default command)')
  addExamples(listCommand, 'flowpost keys list --json')
  listCommand.action(() => list(context))
  defineCreate(command.command('create').description('create a key and show it once'), context)
  defineRevoke(command.command('revoke').description('revoke a key and the keys that were created with it'), context)
}
