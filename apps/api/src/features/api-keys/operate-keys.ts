import { ApiKeyCreate, scopes } from '@flowpost/contract'
import { apiKeyFaults } from '@flowpost/contract/server'
import type { Logger } from 'pino'
import { z } from 'zod'
import { isOidcUser } from '../../auth/principal.ts'
import type { RunCommand } from '../../database/control-socket.ts'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, toId } from '../../shared/ids.ts'
import { listKeysOfUsers } from './api-key.queries.ts'
import { toApiKey } from './api-key.serializer.ts'
import { insertKey, lockKeysOf, revokeKeys } from './write-api-key.ts'

/** Thrown when what an operator asks for cannot be done, with a message in plain words. */
class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

const user = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

const createArguments = z.strictObject({
  // Users of an OIDC issuer have their tokens from it; a key must not be able to pose as one.
  user: user.refine((value) => !isOidcUser(value), 'must not start with "oidc:", which is for users of the OIDC issuer'),
  scopes: z.array(z.enum(scopes, `must be one of ${scopes.join(', ')}`)).min(1, `is needed at least once: one of ${scopes.join(', ')}`),
  name: ApiKeyCreate.shape.name.default('made by the operator'),
  project: z.string().optional(),
  expires: z.iso.datetime({ offset: true, error: 'must be an instant with a time zone, as in 2027-01-01T00:00:00Z' }).optional(),
})
const listArguments = z.strictObject({ user: user.optional() })
const revokeArguments = z.strictObject({ id: z.string() })

/** A key as an operator sees it: with its user. */
export type OperatorKey = ReturnType<typeof toApiKey> & { readonly user_id: string }

/** What an operator can do with the keys of all users. Every argument is checked. */
interface OperateKeys {
  /** Makes a key for any user and gives its token, which is stored nowhere. */
  create(input: unknown): Promise<OperatorKey & { readonly key: string }>
  /** The keys that are not revoked. */
  list(input: unknown): Promise<OperatorKey[]>
  /** Revokes a key and those that were made with it; gives the ids of all. */
  revoke(input: unknown): Promise<{ readonly revoked: readonly string[] }>
}

const parse = <T extends z.ZodType>(schema: T, input: unknown): z.output<T> => {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message }) => `--${String(path[0] === 'scopes' ? 'scope' : (path[0] ?? ''))} ${message}`)
  throw new OperatorError([...new Set(faults)].join('\n'))
}

/** What an operator can do with keys. The functions reject with {@link OperatorError} for what cannot be done. */
const createOperateKeys = (deps: { database: Database; clock: Clock; log: Logger }): OperateKeys => {
  const { database, clock, log } = deps
  return {
    create: (input) => {
      const { user: userId, scopes: asked, name, project, expires } = parse(createArguments, input)
      const expiresAt = expires === undefined ? null : new Date(expires)
      const [fault] = apiKeyFaults({ scopes }, clock.now().getTime(), { expires_at: expires })
      if (fault) throw new OperatorError(`--expires ${fault.message.replace('Must', 'must')}`)
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
          scopes: asked,
          projectId,
          parentId: null,
          rootId: null,
          expiresAt,
          bootstrap: false,
        })
        const key = toApiKey(row)
        log.info({ key: key.id, user: userId }, 'The operator has made a key.')
        return { ...key, user_id: userId, key: token }
      })
    },

    list: async (input) => {
      const rows = await listKeysOfUsers(database, parse(listArguments, input).user)
      return rows.map((row) => ({ ...toApiKey(row), user_id: row.user_id }))
    },

    revoke: (input) => {
      const { id } = parse(revokeArguments, input)
      const unknown = () =>
        new OperatorError(`There is no key ${id}, or it is revoked already. Name it by its id, as \`keys list\` shows it.`)
      const uuid = fromId('apiKey', id)
      if (uuid === undefined) throw unknown()
      return database.unitOfWork(async (transaction) => {
        const [row] = await transaction.query<{ user_id: string }>('select user_id from api_keys where id = $1', [uuid])
        if (!row) throw unknown()
        await lockKeysOf(transaction, row.user_id)
        const revoked = (await revokeKeys(transaction, clock.now(), [uuid])).map((each) => toId('apiKey', each))
        if (!revoked.includes(id)) throw unknown()
        log.info({ keys: revoked }, 'The operator has revoked keys.')
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

/** What is wrong with the arguments of a command as far as no database is needed to know it; `undefined`: nothing. */
export const faultOfKeyCommand = (command: string, input: unknown): string | undefined => {
  try {
    parse(argumentsOf[command] ?? z.unknown(), input)
    return undefined
  } catch (error) {
    return (error as OperatorError).message
  }
}

/** The same as commands, as they come from another process: `keys.create`, `keys.list` and `keys.revoke`. */
export const createKeyCommands = (deps: { database: Database; clock: Clock; log: Logger }): RunCommand => {
  const { create, list, revoke } = createOperateKeys(deps)
  const commands: Record<string, (input: unknown) => Promise<unknown>> = { 'keys.create': create, 'keys.list': list, 'keys.revoke': revoke }
  return async (command, input) => {
    try {
      const run = Object.hasOwn(commands, command) ? commands[command] : undefined
      if (!run) throw new OperatorError(`The server does not know the command ${command}: it may be of another version.`)
      return { result: await run(input) }
    } catch (error) {
      if (error instanceof OperatorError) return { error: error.message }
      deps.log.error({ err: error, command }, 'A command of the operator failed.')
      return { error: 'The command failed; the log says why.' }
    }
  }
}
