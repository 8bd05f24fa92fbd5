/** `project_id` to `projectId`. */
export const camelCase = (name: string): string => name.replace(/[_-]+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

/** `flows` to `Flows`, `api_keys` to `ApiKeys`. */
export const pascalCase = (name: string): string => {
  const camel = camelCase(name)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}

/** `deliveries` to `delivery`, `flows` to `flow`. Router names are plain English plurals. */
export const singular = (name: string): string => (name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/([^s])s$/, '$1'))

/** A string literal of TypeScript in single quotes. */
export const quote = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A key of an object type or literal, quoted only where it must be. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))
