import type { Method, Model } from './model.ts'
import { quote } from './names.ts'
import { repeatable } from './rules.ts'

type Tree = { [key: string]: Tree | Method }

const isMethod = (entry: Tree | Method): entry is Method => 'operation' in entry && 'args' in entry

/** Generates the file with the route table, which describes the API at run time. */
export const emitRoutes = ({ methods }: Model): string => {
  const root: Tree = {}
  for (const method of methods) {
    let tree = root
    for (const key of method.operation.keys.slice(0, -1)) {
      tree[key] ??= {}
      tree = tree[key] as Tree
    }
    tree[method.operation.keys.at(-1) ?? ''] = method
  }
  return `import type { RouteTable } from '../route.ts'\n\n/** The route of each operation, with the properties that the SDK needs at run time. */\nexport const routes = ${table(root)} as const satisfies RouteTable`
}

const table = (tree: Tree): string =>
  `{\n${Object.entries(tree)
    .map(([key, entry]) => `${key}: ${isMethod(entry) ? route(entry) : table(entry)},`)
    .join('\n')}\n}`

const route = ({ operation, edit, isPage, wait }: Method): string => {
  const entries = [
    operation.method !== 'GET' && `method: ${quote(operation.method)}`,
    operation.body && 'body: true',
    operation.query && 'query: true',
    isPage && 'page: true',
    operation.idempotent && 'idempotent: true',
    Object.hasOwn(repeatable, operation.name) && 'repeatable: true',
    edit && `fields: [${edit.fields.map(quote).join(', ')}]`,
    wait && `wait: ${wait}`,
    // The path is the last property of an entry, because the bundle then compresses better.
    `path: ${quote(operation.path)}`,
  ]
  return `{ ${entries.filter(Boolean).join(', ')} }`
}
