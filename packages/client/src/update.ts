import { type CallContext, failure } from './context.ts'
import type { FlowpostError } from './errors.ts'
import type { WithResponse } from './results.ts'
import type { Route } from './route.ts'
import { send } from './transport.ts'

/** Most times that a change is made anew because somebody else was faster. */
const maxRounds = 5

/** The longest that a timer takes: how long a change may take is a matter of the call's deadline alone. */
const longestMs = 2 ** 31 - 1

type Fields = Record<string, unknown>

/**
 * Reads a resource, lets `change` make the new fields of it, and writes them only if nobody changed it meanwhile.
 * Starts again when somebody did, unless the caller fixed the entity tag.
 */
export const update = async (
  context: CallContext,
  route: Route,
  ids: readonly unknown[],
  change: (current: unknown) => unknown,
): Promise<WithResponse<unknown>> => {
  const { options, lifetime, attempts } = context
  const { path, fields = [] } = route
  const pick = (from: Fields | undefined): Fields => Object.fromEntries(fields.map((field) => [field, from?.[field]]))
  let unsure: Fields | undefined
  for (let round = 1; ; round++) {
    const read = await send({ ...context, options: { ...options, ifMatch: undefined } }, { route: { method: 'GET', path }, ids })
    const current = read.data as Fields
    // A write whose answer was lost and which was then refused may have been made: then this is its result.
    if (unsure && stored(pick(current)) === stored(unsure)) return read
    const ifMatch = options.ifMatch ?? read.response.headers.get('etag')
    if (!ifMatch) throw failure(context, 'unexpected_response', 'the answer has no ETag; does a proxy strip it?')
    const next = (await lifetime.within(longestMs, async () => change(current))) as Fields | undefined
    const body = pick(next)
    const before = attempts.length
    try {
      return await send({ ...context, options: { ...options, ifMatch } }, { route, ids, body })
    } catch (error) {
      if ((error as FlowpostError).code !== 'etag_mismatch' || options.ifMatch !== undefined || round === maxRounds) throw error
      unsure = attempts.length > before + 1 ? body : undefined
    }
  }
}

// The server trims names and brings them to NFC.
const stored = (value: unknown): string => JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.trim().normalize() : part))
