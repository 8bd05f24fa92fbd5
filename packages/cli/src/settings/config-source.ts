import type { SettingsDocument } from '@flowpost/client'

/** The names of the secrets that the server stores, keyed by provider. */
export type SecretNames = ReadonlyMap<string, readonly string[]>

// Matches invisible characters and characters that change the text direction, but not line feeds and tabs.
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu

const escapeInvisible = (text: string): string =>
  text.replace(invisible, (character) =>
    [...Array(character.length).keys()].map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join(''),
  )

const toText = (text: string): string => {
  // JavaScript converts carriage returns in a template literal to line feeds. `escapeInvisible` escapes carriage returns,
  // which preserves them.
  if (text.includes('\n')) return `\`${escapeInvisible(text.replace(/[\\`]|\$(?=\{)/g, '\\$&'))}\``
  return `'${escapeInvisible(text.replace(/[\\']/g, '\\$&'))}'`
}

const toName = (name: string): string => {
  // Written as a plain name, `__proto__` would set the object's prototype.
  if (name === '__proto__') return `['__proto__']`
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : toText(name).replace(/^`.*`$/s, '[$&]')
}

/** Returns a value as JavaScript source. Nested lines start with `indent` and two more spaces. */
export const toSource = (value: unknown, indent: string): string => {
  if (typeof value === 'string') return toText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => toSource(item, inner))
    : Object.entries(value).map(([name, field]) => `${toName(name)}: ${toSource(field, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** Returns a flow's fields for a config file. Omits fields with default values. */
const toFlowFields = ({ key, ...flow }: SettingsDocument['flows'][number]): object => ({
  ...(flow.name !== key && { name: flow.name }),
  ...(!flow.active && { active: false }),
  source_type: flow.source_type,
  target: flow.target,
  ...(flow.override_target && { override_target: true }),
  ...(flow.message_template !== '{{message}}' && { message_template: flow.message_template }),
  ...(flow.message_template_type !== 'text/plain' && { message_template_type: flow.message_template_type }),
})

/** Returns the name of the environment variable for a secret, such as `BILLING_SLACK_TOKEN`. */
export const toVariableName = (...parts: readonly string[]): string =>
  parts
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')

type NameVariable = (...parts: readonly string[]) => string

/**
 * Creates a function like {@link toVariableName} that never returns the same name twice. If a name was already returned, the
 * function appends a number to the name.
 */
const createVariableNamer = (): NameVariable => {
  const taken = new Set<string>()
  return (...parts) => {
    const name = toVariableName(...parts)
    let unique = name
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`
    taken.add(unique)
    return unique
  }
}

/** Providers whose `urls` secret maps names to URLs. A flow's target is one of these names. */
const namedUrlProviders: ReadonlySet<string> = new Set(['discord', 'teams', 'webhook'])

/**
 * Returns the source code of a provider's `urls` secret, with an environment variable for each URL. Includes the URLs of all
 * the provider's flows, because setting `urls` replaces all stored URLs.
 */
const toUrlReferences = ({ project, flows }: SettingsDocument, sourceType: string, nameVariable: NameVariable): string => {
  const targets = flows.filter((flow) => flow.source_type === sourceType).map(({ target }) => target)
  const names = [...new Set(targets)].filter((name) => /^[a-z][a-z0-9_-]*$/.test(name))
  const fields = (names.length > 0 ? names : ['name']).map(
    (name) => `${toName(name)}: { env: '${nameVariable(project.key ?? '', sourceType, 'url', name)}' }`,
  )
  return `urls: { ${fields.join(', ')} }`
}

const toIntegrations = (document: SettingsDocument, secretNames: SecretNames): string[] => {
  const nameVariable = createVariableNamer()
  const lines = document.integrations.flatMap(({ source_type, settings }) => {
    // Writes only plain names, because other characters could end the generated comment.
    const names = (secretNames.get(source_type) ?? []).filter((name) => /^\w+$/.test(name))
    const fields = names.map((name) =>
      name === 'urls' && namedUrlProviders.has(source_type)
        ? toUrlReferences(document, source_type, nameVariable)
        : `${name}: { env: '${nameVariable(document.project.key ?? '', source_type, name)}' }`,
    )
    return [
      `    ${toName(source_type)}: {`,
      `      settings: ${toSource(settings, '      ')},`,
      ...(fields.length > 0 ? ['      // The server keeps these secrets. To set them from this file, define the variables and add:'] : []),
      ...(fields.length > 0 ? [`      // secrets: { ${fields.join(', ')} },`] : []),
      '    },',
    ]
  })
  return lines.length === 0 ? [] : ['  integrations: {', ...lines, '  },']
}

/** Returns an event endpoint's fields for a config file. Omits fields with default values. */
const toEndpointFields = ({ url, events, active, description }: SettingsDocument['event_endpoints'][number]): object => ({
  ...(url !== null && { url }),
  events,
  ...(!active && { active: false }),
  ...(description !== '' && { description }),
})

/** Returns the source of a config file that describes exported settings. It contains no secrets. */
export const toConfigSource = (document: SettingsDocument, secretNames: SecretNames): string => {
  const { project, flows, event_endpoints: endpoints } = document
  return [
    `import { defineConfig } from '@flowpost/cli'`,
    '',
    'export default defineConfig({',
    `  project: { key: ${toText(project.key ?? '')}, name: ${toText(project.name)} },`,
    `  flows: ${toSource(Object.fromEntries(flows.map((flow) => [flow.key, toFlowFields(flow)])), '  ')},`,
    ...toIntegrations(document, secretNames),
    ...(endpoints.length === 0
      ? []
      : [
          `  event_endpoints: ${toSource(Object.fromEntries(endpoints.map((endpoint) => [endpoint.key, toEndpointFields(endpoint)])), '  ')},`,
        ]),
    '})',
    '',
  ].join('\n')
}
