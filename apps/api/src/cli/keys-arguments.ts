import { parseArgs } from 'node:util'
import { scopes } from '@flowpost/contract'
import { operatorCommand } from '../shared/operator-command.ts'

/** A parsed command line: a command with its arguments, a request for help, or an issue to report. */
export type KeysCall =
  | {
      readonly command: 'keys.create' | 'keys.list' | 'keys.revoke'
      readonly input: Readonly<Record<string, unknown>>
      readonly json: boolean
    }
  | { readonly help: true }
  | { readonly issue: string }

/** The text of `--help`. */
export const help = `Creates, lists and revokes any user's API keys in the configured database.

  ${operatorCommand('keys')} create --user <id> --scope <scope> [--scope <scope> ...]
                   [--test] [--project <prj_...>] [--expires <instant>] [--name <text>]
  ${operatorCommand('keys')} list   [--user <id>]
  ${operatorCommand('keys')} revoke <key_...>

  --user      The user of the key. "oidc:..." is reserved for users of the OIDC issuer.
  --scope     A permission of the key. Repeat the option, or separate scopes with commas:
              ${scopes.join(', ')}
  --test      Create a test key. Messages that are sent with it are captured, never delivered. Default: a live key.
  --project   Bind the key to this project of the user.
  --expires   When the key expires, such as 2027-01-01T00:00:00Z. Default: never.
  --name      A name for the key.
  --json      Print JSON.

The create command prints only the new key to standard output. The key is not shown again. Revoking a key also
revokes every key that was created with it. The commands use the database in DATABASE_URL, or else the embedded
database in FLOWPOST_DATA_DIR. If a server is running on the embedded database, that server runs the command.`

const options = {
  user: { type: 'string' },
  scope: { type: 'string', multiple: true },
  test: { type: 'boolean', default: false },
  project: { type: 'string' },
  expires: { type: 'string' },
  name: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const allowed: Readonly<Record<string, readonly string[]>> = {
  create: ['user', 'scope', 'test', 'project', 'expires', 'name', 'json'],
  list: ['user', 'json'],
  revoke: ['json'],
}

const withoutUndefined = (input: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

/** Parses the command line. */
export const readKeysCall = (args: readonly string[]): KeysCall => {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    return { issue: (error as Error).message.split('. ', 1)[0] ?? '' }
  }
  const { values, positionals } = parsed
  const [name, id, ...rest] = positionals
  if (values.help || name === 'help') return { help: true }
  if (name === undefined) return { issue: 'Name a command: create, list or revoke' }
  const supported = allowed[name]
  if (!supported || !Object.hasOwn(allowed, name)) return { issue: `Unknown command ${name}. The commands are create, list and revoke` }
  const stray = Object.keys(values).find((option) => option !== 'help' && !supported.includes(option))
  if (stray !== undefined && values[stray as keyof typeof values] !== false) return { issue: `${name} does not accept --${stray}` }
  const { user, project, expires, json } = values
  if (name === 'revoke') {
    if (id === undefined || rest.length > 0) return { issue: 'revoke needs the id of one key, such as key_01jdv3k2m8f6wbn0q4z5t7x9ya' }
    return { command: 'keys.revoke', input: { id }, json }
  }
  if (id !== undefined) return { issue: `${name} does not accept ${JSON.stringify(id)}` }
  if (name === 'list') return { command: 'keys.list', input: withoutUndefined({ user }), json }
  if (user === undefined) return { issue: 'create needs --user' }
  const requested = (values.scope ?? []).flatMap((entry) => entry.split(',')).map((scope) => scope.trim())
  const mode = values.test ? 'test' : 'live'
  return { command: 'keys.create', input: withoutUndefined({ user, scopes: requested, mode, project, expires, name: values.name }), json }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
