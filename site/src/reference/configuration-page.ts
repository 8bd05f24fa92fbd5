import { environmentVariables } from '../../../apps/api/src/config/config.ts'
import type { Page } from '../page.ts'
import { readRepositoryFile } from '../repository.ts'
import { joinParts } from './markdown.ts'

interface Variable {
  readonly names: readonly string[]
  readonly meaning: string
  readonly fallback: string
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name)

/** Returns the rows of the table of settings in the README. */
const readVariables = (): Variable[] =>
  [...readRepositoryFile('README.md').matchAll(/^\| (`[A-Z][^|]*) \| (.*) \| ([^|]*) \|$/gm)].map(
    ([, names = '', meaning = '', fallback = '']) => ({
      names: namesIn(names),
      meaning,
      fallback,
    }),
  )

/** Returns the group of each variable: the headings of `.env.example`, which lists every variable of the server once. */
const readGroups = (): ReadonlyMap<string, readonly string[]> => {
  const groups = new Map<string, string[]>()
  let names: string[] = []
  for (const line of readRepositoryFile('.env.example').split('\n')) {
    const [, heading] = /^# --- (.+) ---$/.exec(line) ?? []
    if (heading !== undefined) {
      names = []
      groups.set(heading, names)
    }
    const [, name] = /^#([A-Z][A-Z_]+)=/.exec(line) ?? []
    if (name !== undefined) names.push(name)
  }
  return groups
}

/** Variables that other tools define. The README names them in the text of another variable. */
const describedElsewhere = new Set(['NODE_ENV', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER', 'OTEL_SDK_DISABLED'])

const describeVariable = ({ names, meaning, fallback }: Variable): string =>
  joinParts([
    `### ${names.map((name) => `\`${name}\``).join(', ')}`,
    `${meaning}${/[.)]$/.test(meaning) ? '' : '.'}`,
    `Default: ${fallback.trim()}`,
  ])

/** Generates the reference of the environment variables, by topic. */
export const createConfigurationPage = (): Page => {
  const variables = readVariables()
  const described = new Set(variables.flatMap(({ names }) => names))
  const missing = environmentVariables.filter((name) => !described.has(name) && !describedElsewhere.has(name))
  if (missing.length > 0) throw new Error(`README.md does not describe ${missing.join(', ')}.`)
  const sections = [...readGroups()].map(([heading, names]) => {
    const listed = variables.filter((variable) => names.includes(variable.names[0] ?? ''))
    return listed.length === 0 ? undefined : joinParts([`## ${heading}`, ...listed.map(describeVariable)])
  })
  const title = 'Configuration'
  const introduction =
    'Configure Flowpost with environment variables. The server reads them at startup and reports all invalid values together. It warns about variables that start with `FLOWPOST_` and that it does not know. An empty variable counts as not set. In production, set `NODE_ENV` to `production`: then messages are never captured and nobody can open the outbox, unless you say so.'
  return { url: '/reference/configuration', title, linkBase: 'README.md', markdown: joinParts([`# ${title}`, introduction, ...sections]) }
}
