import { docComment } from './doc.ts'
import type { Method, Model } from './model.ts'
import { pascalCase, quote } from './names.ts'
import { results, variants } from './rules.ts'

interface Group {
  readonly name: string
  readonly methods: Method[]
  readonly groups: Map<string, Group>
}

/** Generates the file with the methods: one interface per group of operations, and the error codes of each operation. */
export const emitOperations = (model: Model): string => {
  const root: Group = { name: 'Operations', methods: [], groups: new Map() }
  for (const method of model.methods) addToGroup(root, method)
  const named = model.types.all().map(({ name }) => name)
  const body = [...interfaces(root, ''), operationProblems(model)].join('\n\n')
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(body)
  const imports = (names: readonly string[], from: string) => {
    const used = names.filter(uses).sort()
    return used.length > 0 ? `import type { ${used.join(', ')} } from '${from}'\n` : ''
  }
  const resultTypes = ['Call', 'Page', ...Object.values(results).map(({ type }) => type)]
  const optionTypes = [
    'CallOptions',
    'IdempotentOptions',
    'ConditionalOptions',
    'CachedOptions',
    'UncachedOptions',
    ...Object.values(variants).flatMap(Object.keys),
  ]
  return `${imports(optionTypes, '../options.ts')}${imports([...new Set(resultTypes)], '../results.ts')}${imports(named, './types.ts')}\n${body}`
}

const addToGroup = (root: Group, method: Method): void => {
  let group = root
  for (const key of method.operation.keys.slice(0, -1)) {
    const next: Group = group.groups.get(key) ?? { name: key, methods: [], groups: new Map() }
    group.groups.set(key, next)
    group = next
  }
  group.methods.push(method)
}

function* interfaces(group: Group, path: string): Generator<string> {
  const nameOf = (key: string) => `${path}${pascalCase(key)}`
  for (const [key, child] of group.groups) yield* interfaces(child, nameOf(key))
  const name = path ? `${path}Operations` : 'Operations'
  const children = [...group.groups.keys()].map(
    (key) => `${docComment(`The operations on ${toWords(key)}.`)}readonly ${key}: ${nameOf(key)}Operations`,
  )
  const comment = docComment(path ? `The operations on ${toWords(group.name)}.` : 'All Flowpost operations, grouped by resource.')
  yield `${comment}export interface ${name} {\n${[...group.methods.map(signatures), ...children].join('\n\n')}\n}`
}

const toWords = (key: string): string => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api\b/, 'API')

const signatures = (method: Method): string => {
  const { operation, args, options, cachedOptions, result, value } = method
  const list = args.map((arg) => `${arg.name}${arg.optional ? '?' : ''}: ${arg.type}`)
  const signature = (type: string, returned: string) =>
    `${operation.keys.at(-1)}(${[...list, `options?: ${type}`].join(', ')}): ${returned}`
  const plain = signature(options, result)
  if (method.variants.length > 0) {
    const overloads = method.variants.map(({ body, value: resolved }) =>
      signature(options, `Call<${resolved}>`).replace(`body: ${method.types.body}`, `body: ${body}`),
    )
    return [...overloads, plain].map((overload) => comment(method) + overload).join('\n\n')
  }
  if (!cachedOptions) return comment(method) + plain
  const cached = signature(cachedOptions, `Call<${value} | undefined>`)
  return [
    comment(method) + plain,
    comment(method, 'Resolves to `undefined` when the resource still has the given entity tag (304).') + cached,
    docComment('Repeats the first overload, because types such as `ReturnType<...>` use only the last one.') + plain,
  ].join('\n\n')
}

const comment = ({ operation, args, edit }: Method, note?: string): string =>
  docComment(
    operation.description,
    note,
    edit &&
      'If the body is a function, the call reads the resource, passes it to the function, and writes the result. If the resource changes in between, the call starts over.',
    `Calls \`${operation.method} ${operation.path}\`. Requires the scope \`${operation.scope}\`.`,
    ...args.map(({ name, description }) => `@param ${name} ${description}`.trimEnd()),
    `@throws {FlowpostError} ${operation.problems.map((code) => `\`${code}\``).join(', ')}.`,
    operation.deprecated ? '@deprecated' : undefined,
  )

const operationProblems = ({ methods }: Model): string =>
  `${docComment('The problem codes that each operation declares.')}export interface OperationProblems {\n${methods
    .map(({ operation }) => `${quote(operation.name)}: ${[...operation.problems].sort().map(quote).join(' | ')}`)
    .join('\n')}\n}`
