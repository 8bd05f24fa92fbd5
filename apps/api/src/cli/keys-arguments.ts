import { parseArgs } from 'node:util'
import { scopes } from '@flowpost/contract'

/** What was asked for on the command line: a command with its arguments, help, or something that is not understood. */
export type KeysCall =
  | {
      readonly command: 'keys.create' | 'keys.list' | 'keys.revoke'
      readonly input: Readonly<Record<string, unknown>>
      readonly json: boolean
    }
  | { readonly help: true }
  | { readonly fault: string }

/** What `--help` prints. */
export const help = `Makes, lists and revokes API keys of any user, on the database of this environment.

  pnpm keys create --user <id> --scope <scope> [--scope <scope> ...]
                   [--project <prj_...>] [--expires <instant>] [--name <text>]
  pnpm keys list   [--user <id>]
  pnpm keys revoke <key_...>

  --user      Whose key it is. Any name but "oidc:...", which are users of the OIDC issuer.
  --scope     What the key may do; again for each, or comma-separated:
              ${scopes.join(', ')}
  --project   Bind the key to this project of the user.
  --expires   When the key ends, as in 2027-01-01T00:00:00Z. Default: never.
  --name      What the key is for.
  --json      Print JSON.

The new key alone goes to standard output; it is shown this once. Revoking a key revokes those that were
made with it too, at once. The database is that of DATABASE_URL, or the embedded one in FLOWPOST_DATA_DIR:
a server that runs on it carries out the command, else it is opened for the moment.`

const options = {
  user: { type: 'string' },
  scope: { type: 'string', multiple: true },
  project: { type: 'string' },
  expires: { type: 'string' },
  name: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const allowed: Readonly<Record<string, readonly string[]>> = {
  create: ['user', 'scope', 'project', 'expires', 'name', 'json'],
  list: ['user', 'json'],
  revoke: ['json'],
}

const withoutUndefined = (input: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

/** Reads the command line. */
export const readKeysCall = (args: readonly string[]): KeysCall => {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    return { fault: (error as Error).message.split('. ', 1)[0] ?? '' }
  }
  const { values, positionals } = parsed
  const [name, id, ...rest] = positionals
  if (values.help || name === 'help') return { help: true }
  if (name === undefined) return { fault: 'A command is missing: create, list or revoke' }
  const known = allowed[name]
  if (!known || !Object.hasOwn(allowed, name)) return { fault: `There is no command ${name}; there are create, list and revoke` }
  const stray = Object.keys(values).find((option) => option !== 'help' && !known.includes(option))
  if (stray !== undefined && values[stray as keyof typeof values] !== false) return { fault: `${name} takes no --${stray}` }
  const { user, project, expires, json } = values
  if (name === 'revoke') {
    if (id === undefined || rest.length > 0) return { fault: 'revoke takes the id of one key, as in key_01jdv3k2m8f6wbn0q4z5t7x9ya' }
    return { command: 'keys.revoke', input: { id }, json }
  }
  if (id !== undefined) return { fault: `${name} does not take ${JSON.stringify(id)}` }
  if (name === 'list') return { command: 'keys.list', input: withoutUndefined({ user }), json }
  if (user === undefined) return { fault: 'create needs --user' }
  const asked = (values.scope ?? []).flatMap((entry) => entry.split(',')).map((scope) => scope.trim())
  return { command: 'keys.create', input: withoutUndefined({ user, scopes: asked, project, expires, name: values.name }), json }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
