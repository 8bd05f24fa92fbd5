import { toCall } from './call.ts'
import type { Run } from './calls.ts'
import type { Config } from './config.ts'
import { type AnyOptions, type CallContext, failure } from './context.ts'
import { toPage } from './page.ts'
import { type RequestParts, serverWaitMs } from './request.ts'
import type { PageBody, SettleOptions, WithResponse } from './results.ts'
import type { Route, RouteTable } from './route.ts'
import { followNotification } from './settled.ts'
import { send } from './transport.ts'
import { update } from './update.ts'

const isRoute = (entry: Route | RouteTable): entry is Route => typeof entry.path === 'string'

/**
 * Makes the methods of a route table. Their arguments are the path parameters in the order of the path,
 * then the body, then the query, then the options; a route leaves out what it does not take.
 */
export const buildOperations = (table: RouteTable, config: Config, run: Run): object => {
  const method = (operation: string, route: Route) => {
    const idCount = route.path.split(':').length - 1
    return (...args: unknown[]): unknown => {
      let next = idCount
      const ids = args.slice(0, next)
      const body = route.body && args[next++]
      const params = (route.query && args[next++]) as RequestParts['params']
      const options = (args[next] ?? {}) as AnyOptions
      const waitMs = serverWaitMs({ route, params })
      const timeout = options.timeout ?? Math.max(config.timeout, waitMs && waitMs + 10_000)
      const call = <T>(work: (context: CallContext) => Promise<T>) => run(operation, options, timeout, work)

      if (route.page)
        return toPage(
          (cursors) =>
            call(async (context) => {
              const answer = (await send(context, { route, ids, params: { ...params, cursor: cursors.at(-1) } })) as WithResponse<
                PageBody<unknown>
              >
              if (!answer.data.next_cursor || !cursors.includes(answer.data.next_cursor)) return answer
              throw failure(context, 'unexpected_response', 'the list goes round in circles')
            }),
          params?.cursor,
        )

      const answer = toCall(
        call((context) =>
          route.fields && typeof body === 'function'
            ? update(context, route, ids, body as never)
            : send(context, { route, ids, body, params }),
        ),
      )
      if (operation !== 'notifications.send') return answer
      return Object.assign(answer, {
        settled: async (follow: SettleOptions = {}) => {
          const { id } = (await answer) as { id: string }
          const { get } = table.notifications as { get: Route }
          const work = (context: CallContext) => followNotification(context, get, id)
          return run('notifications.get', follow, follow.timeout ?? 60_000, work, `${id} has not settled`)
        },
      })
    }
  }

  const build = (entries: RouteTable, prefix: string): object =>
    Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => [key, isRoute(entry) ? method(prefix + key, entry) : build(entry, `${prefix}${key}.`)]),
    )

  return build(table, '')
}
