import type { FlowpostLock, LockedProject } from '@flowpost/client'

/** The name of the file that declares the projects and flows. */
export const declarationsFileName = 'flowpost.d.ts'

// A key has only lower-case letters, digits and hyphens. A key that contains a hyphen or starts with a digit needs
// quotes.
const toName = (key: string): string => (/^[a-z][a-z0-9]*$/.test(key) ? key : `'${key}'`)

const toProject = ([key, { flows }]: [string, LockedProject]): string => {
  const lines = Object.entries(flows).map(
    ([flow, { override_target }]) => `      ${toName(flow)}: { override_target: ${override_target} }\n`,
  )
  return `    ${toName(key)}: {${lines.length > 0 ? `\n${lines.join('')}    ` : ''}}\n`
}

/**
 * Returns the source of the declarations file, which declares the lock file's projects and flows to `@flowpost/client`.
 */
export const toDeclarations = ({ projects }: FlowpostLock): string => `// Written by \`flowpost types\`. Do not edit.
import '@flowpost/client'

declare module '@flowpost/client' {
  interface KnownProjects {
${Object.entries(projects).map(toProject).join('')}  }
}
`

/** Returns whether two declaration files differ in more than formatting. */
export const differInContent = (a: string, b: string): boolean => {
  const [first, second] = [a, b].map((text) => text.replace(/[\s;,'"]/g, ''))
  return first !== second
}
