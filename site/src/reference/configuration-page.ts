import type { Page } from '../page.ts'
import { configurationSource, type EnvironmentVariable, readExamples, readIntroduction, readTopics } from './environment.ts'
import { joinParts, table } from './markdown.ts'

const sentence = (text: string): string => (/[.)]$/.test(text) ? text : `${text}.`)

const describeVariable = ({ name, meaning, values, fallback }: EnvironmentVariable, example: string | undefined): string =>
  joinParts([
    `### \`${name}\``,
    sentence(meaning),
    table(
      ['Values', 'Default', 'Example'],
      [[values, fallback.trim(), example === undefined ? '' : `\`${name}=${/[\s<>]/.test(example) ? `'${example}'` : example}\``]],
    ),
  ])

/** Generates the reference for the environment variables, by topic. A test compares it with the server's schemas. */
export const createConfigurationPage = (): Page => {
  const examples = readExamples()
  const sections = readTopics().map(({ heading, introduction, variables }) =>
    joinParts([`## ${heading}`, introduction, ...variables.map((variable) => describeVariable(variable, examples.get(variable.name)))]),
  )
  const title = 'Configuration'
  return {
    url: '/reference/configuration',
    title,
    source: configurationSource,
    markdown: joinParts([`# ${title}`, readIntroduction(), ...sections]),
  }
}
