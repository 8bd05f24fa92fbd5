import { ApiKeyCreate, keyModes, scopes } from '@flowpost/contract'
import { findApiKeyErrors } from '@flowpost/contract/rules'
import type { Logger } from 'pino'
import { z } from 'zod'
import { keyOwner, userId } from '../../auth/user-id.ts'
import type { RunCommand } from '../../database/control-socket.ts'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, toId } from '../../shared/ids.ts'
import { listKeysOfUsers } from './api-key.queries.ts'
import { toApiKey } from './api-key.serializer.ts'
import { insertKey, lockKeysOf } from './insert-key.ts'
import { revokeKeys } from './revoke-key.ts'

/** An error in an operator command. Its message is shown to the operator. */
class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

const createArguments = z.strictObject({
  user: keyOwner,
  scopes: z.array(z.enum(scopes, `must be one of ${scopes.join(', ')}`)).min(1, `is required. Give at least one of: ${scopes.join(', ')}`),
  name: ApiKeyCreate.shape.name.default('created by the operator'),
  mode: z.enum(keyModes, `must be one of ${keyModes.join(', ')}`).default('live'),
  project: z.string().optional(),
  expires: z.iso.datetime({ offset: true, error: 'must be a time with a time zone, such as 2027-01-01T00:00:00Z' }).optional(),
})
const listArguments = z.strictObject({ user: userId.optional() })
const revokeArguments = z.strictObject({ id: z.string() })

/** A key with its user, as shown to the operator. */
export type OperatorKey = ReturnType<typeof toApiKey> & { readonly user_id: string }

/**
 * The operator's commands for managing any user's keys. They reject invalid arguments with an {@link OperatorError}.
 */
interface KeyOperations {
  /**
   * Creates a key for any user, except a user of the OIDC issuer. The result's field `key` is the token, which is not
   * stored.
   */
  create(input: unknown): Promise<OperatorKey & { readonly key: string }>
  /** Returns the unrevoked keys of one user, or of all users. */
  list(input: unknown): Promise<OperatorKey[]>
  /** Revokes a key and all keys that were created with it, directly or indirectly. Returns the ids of all revoked keys. */
  revoke(input: unknown): Promise<{ readonly revoked: readonly string[] }>
}

const parse = <T extends z.ZodType>(schema: T, input: unknown): z.output<T> => {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => `--${String(path[0] === 'scopes' ? 'scope' : (path[0] ?? ''))} ${message}`)
  throw new OperatorError([...new Set(issues)].join('\n'))
}

interface KeyCommandsDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

const createKeyOperations = ({ database, clock, log }: KeyCommandsDeps): KeyOperations => {
  return {
    create: (input) => {
      const { user: userId, scopes: requestedScopes, name, mode, project, expires } = parse(createArguments, input)
      const expiresAt = expires === undefined ? null : new Date(expires)
      const [error] = findApiKeyErrors({ scopes, mode: 'live' }, clock.now().getTime(), { expires_at: expires })
      if (error) throw new OperatorError(`--expires ${error.message.replace('Must', 'must')}`)
      return database.unitOfWork(async (transaction) => {
        await lockKeysOf(transaction, userId)
        const projectId = project === undefined ? null : fromId('project', project)
        if (projectId !== null) {
          const [row] = await transaction.query('select 1 from projects where id = $1 and user_id = $2 for key share', [
            projectId ?? null,
            userId,
          ])
          if (projectId === undefined || !row) throw new OperatorError(`The user ${userId} has no project ${project}.`)
        }
        const { row, token } = await insertKey(transaction, clock.now(), {
          userId,
          name,
          scopes: requestedScopes,
          mode,
          projectId,
          parentId: null,
          rootId: null,
          expiresAt,
          bootstrap: false,
        })
        const key = toApiKey(row)
        log.info({ key: key.id, user: userId, mode }, 'API key created by the operator.')
        return { ...key, user_id: userId, key: token }
      })
    },

    list: async (input) => {
      const rows = await listKeysOfUsers(database, parse(listArguments, input).user)
      return rows.map((row) => ({ ...toApiKey(row), user_id: row.user_id }))
    },

    revoke: (input) => {
      const { id } = parse(revokeArguments, input)
      const unknownKey = () => new OperatorError(`There is no key ${id}, or it is already revoked. Use an id that \`keys list\` shows.`)
      const uuid = fromId('apiKey', id)
      if (uuid === undefined) throw unknownKey()
      return database.unitOfWork(async (transaction) => {
        const [row] = await transaction.query<{ user_id: string }>('select user_id from api_keys where id = $1', [uuid])
        if (!row) throw unknownKey()
        await lockKeysOf(transaction, row.user_id)
        const revoked = (await revokeKeys(transaction, clock.now(), [uuid])).map((keyId) => toId('apiKey', keyId))
        if (!revoked.includes(id)) throw unknownKey()
        log.info({ keys: revoked }, 'API keys revoked by the operator.')
        return { revoked }
      })
    },
  }
}

const argumentsOf: Readonly<Record<string, z.ZodType>> = {
  'keys.create': createArguments,
  'keys.list': listArguments,
  'keys.revoke': revokeArguments,
}

/**
 * Validates the arguments of a command without using the database. Returns the error message, or `undefined` for valid
 * arguments.
 */
export const validateKeyCommand = (command: string, input: unknown): string | undefined => {
  try {
    parse(argumentsOf[command] ?? z.unknown(), input)
    return undefined
  } catch (error) {
    return (error as OperatorError).message
  }
}

/** Creates the function that runs the operator's commands `keys.create`, `keys.list` and `keys.revoke`. */
export const createKeyCommands = (deps: KeyCommandsDeps): RunCommand => {
  const { create, list, revoke } = createKeyOperations(deps)
  const commands: Record<string, (input: unknown) => Promise<unknown>> = { 'keys.create': create, 'keys.list': list, 'keys.revoke': revoke }
  return async (command, input) => {
    try {
      const run = Object.hasOwn(commands, command) ? commands[command] : undefined
      if (!run) throw new OperatorError(`The server does not know the command ${command}. Use the same Flowpost version as the server.`)
      return { result: await run(input) }
    } catch (error) {
      if (error instanceof OperatorError) return { error: error.message }
      deps.log.error({ err: error, command }, 'Operator command failed.')
      return { error: 'The command failed. See the server log.' }
    }
  }
}
