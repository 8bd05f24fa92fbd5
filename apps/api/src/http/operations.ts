import type { Express, RequestHandler } from 'express'
import { inTurn } from './in-turn.ts'

/** Where a path ends up, segment by segment. */
interface Node {
  readonly literals: Map<string, Node>
  parameter?: { readonly name: string; readonly node: Node }
  readonly byMethod: Map<string, RequestHandler>
  /** The names of the parameters on the way, in order. */
  names: readonly string[]
}

const createNode = (): Node => ({ literals: new Map(), byMethod: new Map(), names: [] })

/** Operations that are found by a look at each segment of the path: Express would try the pattern of every route before. */
export interface Operations {
  /** What routes are added to, as far as ts-rest needs it. */
  readonly app: Express
  /** Lets the operation that a request names answer it, or the next handler when there is none. */
  readonly handle: RequestHandler
}

/** As Express routes: without regard to case, and to one slash at the end. */
export const createOperations = (): Operations => {
  const root = createNode()

  const add =
    (method: string) =>
    (path: string, ...handlers: RequestHandler[]) => {
      const names: string[] = []
      let node = root
      for (const segment of path.split('/').slice(1)) {
        if (segment.startsWith(':')) {
          names.push(segment.slice(1))
          node.parameter ??= { name: segment, node: createNode() }
          node = node.parameter.node
        } else {
          const known = node.literals.get(segment.toLowerCase()) ?? createNode()
          node.literals.set(segment.toLowerCase(), known)
          node = known
        }
      }
      node.names = names
      node.byMethod.set(method, inTurn(handlers))
    }

  /** The node of a path that serves the method, with the values of its parameters as they were written. */
  const find = (node: Node, segments: readonly string[], from: number, method: string, values: string[]): Node | undefined => {
    const segment = segments[from]
    if (segment === undefined) return node.byMethod.has(method) ? node : undefined
    const literal = node.literals.get(segment.toLowerCase())
    const found = literal && find(literal, segments, from + 1, method, values)
    if (found || segment === '' || !node.parameter) return found
    const place = values.push(segment) - 1
    const below = find(node.parameter.node, segments, from + 1, method, values)
    if (!below) values.length = place
    return below
  }

  return {
    app: {
      get: add('GET'),
      post: add('POST'),
      put: add('PUT'),
      patch: add('PATCH'),
      delete: add('DELETE'),
      // ts-rest adds a handler of validation errors, which are handled with all others.
      use: () => {},
    } as unknown as Express,
    handle: (request, response, next) => {
      const { path } = request
      const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/')
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const values: string[] = []
      const node = find(root, segments, 1, method, values)
      const operation = node?.byMethod.get(method)
      if (!node || !operation) return next()
      const params: Record<string, string> = {}
      for (const [place, name] of node.names.entries()) params[name] = decodeURIComponent(values[place] ?? '')
      request.params = params
      operation(request, response, next)
    },
  }
}
