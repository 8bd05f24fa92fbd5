/** Returns how an operator runs a command: `pnpm <name>` in the repository, and its file in the bundle, which has no pnpm. */
export const operatorCommand = (name: 'backup' | 'keys' | 'migrate' | 'restore' | 'secrets'): string =>
  import.meta.filename.endsWith('.ts') ? `pnpm ${name}` : `node bin/${name}.js`
