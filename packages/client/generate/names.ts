/** Converts `project_id` to `projectId`. */
export const camelCase = (name: string): string => name.replace(/[_-]+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

/** Converts `flows` to `Flows` and `api_keys` to `ApiKeys`. */
export const pascalCase = (name: string): string => {
  const camel = camelCase(name)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}

/** Converts `deliveries` to `delivery` and `flows` to `flow`. Router names must be regular English plurals. */
export const singular = (name: string): string => (name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/([^s])s$/, '$1'))

/** Creates a TypeScript string literal in single quotes. */
export const quote = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Returns a property key, quoted only if necessary. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))
