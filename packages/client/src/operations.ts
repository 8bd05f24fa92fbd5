import { type AnyOptions, type CallContext, createFailure, parseArguments } from './calls/call-context.ts'
import { createCallDeadline, maxTimerMs } from './calls/call-deadline.ts'
import type { RunCall } from './calls/call-runner.ts'
import type { Config } from './config.ts'
import { type RequestInput, serverWaitMs } from './http/request.ts'
import { send } from './http/send.ts'
import { poll, updateResource } from './multi-request.ts'
import { createCall, createPage, type PageBody, type SettleOptions, type WithResponse } from './results.ts'
import type { Route, RouteTable } from './route.ts'

/**
 * Creates the methods of a route table. Their arguments are the path parameters in path order, then the body, the
 * query and the options. A method has only the arguments that its route accepts.
 */
export const createOperations = (table: RouteTable, config: Config, run: RunCall): object => {
  const createMethod = (operation: string, route: Route) => {
    const idCount = route.path.split(':').length - 1
    return (...args: unknown[]): unknown => {
      let next = idCount
      const body = route.body && args[next++]
      const params = (route.query && args[next++]) as RequestInput['params']
      const options = (args[next] ?? {}) as AnyOptions
      // `args` starts with the path parameters. The code that builds the path ignores the arguments after them.
      const input = { route, ids: args, body, params }
      const waitMs = serverWaitMs(input)
      const timeout = options.timeout ?? Math.max(config.timeout, waitMs && waitMs + 10_000)
      const runCall = <T>(work: (context: CallContext) => Promise<T>) => run(operation, options, timeout, work)

      if (route.page)
        return createPage(
          (cursors) =>
            runCall(async (context) => {
              const page = (await send(context, { ...input, params: { ...params, cursor: cursors.at(-1) } })) as WithResponse<
                PageBody<unknown>
              >
              if (!page.data.next_cursor || !cursors.includes(page.data.next_cursor)) return page
              throw createFailure(context, 'unexpected_response', 'the list repeats a cursor')
            }),
          params?.cursor,
        )

      const call = createCall(
        runCall((context) =>
          route.fields && typeof body === 'function' ? updateResource(context, route, args, body as never) : send(context, input),
        ),
      )
      if (operation !== 'notifications.send') return call
      return Object.assign(call, {
        settled: async (settleOptions: SettleOptions = {}) => {
          // `settled` may reject before `call` does, for example after an abort. If `call` rejects later, this empty handler
          // keeps the runtime from reporting an unhandled rejection.
          call.catch(() => {})
          const waiting = parseArguments({ operation: 'notifications.get', attempts: [] }, () =>
            createCallDeadline(config.clock, maxTimerMs, settleOptions.signal),
          )
          const { id } = (await waiting.run(maxTimerMs, () => call).finally(waiting.close)) as { id: string }
          const { get } = table.notifications as { get: Route }
          const isDone = ({ status }: { status: string }) => !['queued', 'sending'].includes(status)
          const work = (context: CallContext) => poll(context, { route: get, ids: [id], isDone })
          return run('notifications.get', settleOptions, settleOptions.timeout ?? 60_000, work, `${id} was not completed`)
        },
      })
    }
  }

  const createGroup = (entries: RouteTable, prefix: string): object =>
    Object.fromEntries(
      Object.entries(entries).map(([key, entry]) => [
        key,
        typeof entry.path === 'string' ? createMethod(prefix + key, entry as Route) : createGroup(entry as RouteTable, `${prefix}${key}.`),
      ]),
    )

  return createGroup(table, '')
}
