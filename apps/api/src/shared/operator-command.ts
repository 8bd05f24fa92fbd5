/**
 * Returns the command line for an operator command: `pnpm <name>` in the repository, `npx flowpost-server <name>` in
 * the npm package, and `node bin/<name>.js` in the bundle.
 */
export const operatorCommand = (name: 'backup' | 'keys' | 'migrate' | 'restore' | 'secrets'): string => {
  if (import.meta.filename.endsWith('.ts')) return `pnpm ${name}`
  return process.argv[1]?.match(/flowpost-server(?:\.js)?$/) ? `npx flowpost-server ${name}` : `node bin/${name}.js`
}
