import type { FlowpostLock, LockedProject } from '@flowpost/client'

/** The name of the file that declares the projects and flows. */
export const declarationsFileName = 'flowpost.d.ts'

// A key has only lower-case letters, digits and hyphens. Names with hyphens, or that start with a digit, need quotes.
const toName = (key: string): string => (/^[a-z][a-z0-9]*$/.test(key) ? key : `'${key}'`)

const toProject = ([key, { flows }]: [string, LockedProject]): string => {
  const lines = Object.entries(flows).map(
    ([flow, { override_target }]) => `      ${toName(flow)}: { override_target: ${override_target} }\n`,
  )
  return `    ${toName(key)}: {${lines.length > 0 ? `\n${lines.join('')}    ` : ''}}\n`
}

/** Returns the source of the file that declares the projects and flows of a lock file to `@flowpost/client`. */
export const toDeclarations = ({ projects }: FlowpostLock): string => `// Written by \`flowpost types\`. Do not edit.
import '@flowpost/client'

declare module '@flowpost/client' {
  interface KnownProjects {
${Object.entries(projects).map(toProject).join('')}  }
}
`

/** Returns whether two declarations differ in more than their format, which a formatter may have changed. */
export const differInContent = (a: string, b: string): boolean => {
  const [first, second] = [a, b].map((text) => text.replace(/[\s;,'"]/g, ''))
  return first !== second
}
