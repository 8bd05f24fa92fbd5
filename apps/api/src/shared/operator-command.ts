/**
 * Returns the command line of an operator's command: `pnpm <name>` in the repository, `npx flowpost-server <name>` in the npm
 * package, and its file in the bundle.
 */
export const operatorCommand = (name: 'backup' | 'keys' | 'migrate' | 'restore' | 'secrets'): string => {
  if (import.meta.filename.endsWith('.ts')) return `pnpm ${name}`
  return process.argv[1]?.match(/flowpost-server(?:\.js)?$/) ? `npx flowpost-server ${name}` : `node bin/${name}.js`
}
