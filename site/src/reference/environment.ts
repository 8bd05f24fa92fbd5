import { environmentFields, environmentVariables } from '../../../apps/api/src/config/config.ts'
import { readRepositoryFile } from '../repository.ts'

/** The parts of a zod schema that describe its values. */
interface Schema {
  readonly description?: string | undefined
  readonly def: { readonly innerType?: Schema; readonly in?: Schema; readonly defaultValue?: unknown }
}

/** Returns a schema's description or, if it has none, the description of the first inner schema that has one. */
const describedFormat = ({ description, def }: Schema): string | undefined => {
  const inner = def.innerType ?? def.in
  return description ?? (inner && describedFormat(inner))
}

/** An environment variable of the server. */
export interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
  /** The values that the variable accepts. */
  readonly values: string
  readonly fallback: string
}

/** The variables with the same topic. */
export interface EnvironmentTopic {
  readonly heading: string
  readonly introduction: string
  readonly variables: readonly EnvironmentVariable[]
}

/** The file that describes the environment variables. */
export const configurationSource = 'docs/configuration.md'

/** Returns the introduction of the configuration page: the text between the title and the first topic. */
export const readIntroduction = (): string => /^# .*\n([\s\S]*?)^## /m.exec(readRepositoryFile(configurationSource))?.[1]?.trim() ?? ''

/** Returns the configuration topics in page order. */
export const readTopics = (): EnvironmentTopic[] =>
  [...readRepositoryFile(configurationSource).matchAll(/^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(
    ([, heading = '', text = '']) => ({
      heading,
      introduction: text.slice(0, text.indexOf('\n|')).trim(),
      variables: [...text.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map(
        ([, name = '', meaning = '', values = '', fallback = '']) => ({ name, meaning, values, fallback }),
      ),
    }),
  )

/** Returns a valid example value for each variable in `.env.example`, keyed by variable. */
export const readExamples = (): ReadonlyMap<string, string> =>
  new Map([...readRepositoryFile('.env.example').matchAll(/^#([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/**
 * Returns, for each variable, a description of the values that it accepts, and whether it has a default. If its schema has
 * no description, the description is `Text`.
 */
export const environmentSchemas = (): ReadonlyMap<string, { readonly values: string; readonly hasDefault: boolean }> =>
  new Map(
    environmentVariables.map((name) => {
      const schema = environmentFields[name as keyof typeof environmentFields] as unknown as Schema
      const { defaultValue } = schema.def
      const hasDefault = defaultValue !== undefined && !(Array.isArray(defaultValue) && defaultValue.length === 0)
      return [name, { values: describedFormat(schema) ?? 'Text', hasDefault }]
    }),
  )
