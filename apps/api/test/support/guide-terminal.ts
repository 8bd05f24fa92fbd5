import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { readFromRepository, repositoryFolder as root } from './guide-pages.ts'
import { openShell, type Shell } from './shell.ts'
import type { TestServer } from './test-server.ts'

/** A shell that starts in an empty folder, for following a guide. */
export interface GuideTerminal extends Shell {
  readonly folder: string
}

/** Writes the programs `npx` and `npm`, which run the sources instead of installed packages. */
const writePrograms = (folder: string): void => {
  const { scripts } = JSON.parse(readFromRepository('package.json')) as { scripts: Record<string, string> }
  const commands = Object.entries(scripts).flatMap(([name, script]) => {
    const [, file] = /^node (apps\/api\/bin\/\w+\.js)$/.exec(script) ?? []
    return file === undefined ? [] : [`'pnpm ${name}') shift 2; exec node '${join(root, file)}' "$@" ;;`]
  })
  const cli = join(root, 'packages/cli/src/flowpost.ts')
  const npx = ['case "$1 $2" in', ...commands, `'flowpost '*) shift; exec node '${cli}' "$@" ;;`, '*) exit 127 ;;', 'esac']
  const npm = `case "$*" in
'init --yes') echo '{}' > package.json ;;
'install --save-dev @flowpost/cli') mkdir -p node_modules/@flowpost && ln -s '${root}/packages/cli' node_modules/@flowpost/cli ;;
*) exit 127 ;;
esac`
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\n${npx.join('\n')}\n`, { mode: 0o755 })
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 })
  symlinkSync(process.execPath, join(folder, 'node'))
}

/**
 * Opens the second terminal from "Get started", with a server's address and API key and the shell function `flowpost`.
 * @param variables Variables that the guide tells its reader to set.
 */
export const openGuideTerminal = (server: TestServer, variables: Readonly<Record<string, string>> = {}): GuideTerminal => {
  const home = mkdtempSync(join(tmpdir(), 'flowpost-guide-'))
  const programs = mkdtempSync(join(tmpdir(), 'flowpost-programs-'))
  writePrograms(programs)
  // The folders in the repository that the guides name.
  for (const name of ['ops', 'examples']) symlinkSync(join(root, name), join(home, name))
  const env = {
    ...childEnvironment,
    ...server.database.env,
    PATH: `${programs}:${childEnvironment['PATH']}`,
    HOME: home,
    NO_COLOR: '1',
    FLOWPOST_BASE_URL: server.url,
    FLOWPOST_API_KEY: server.keys.alice,
    ...variables,
  }
  const [definition = ''] = /^flowpost\(\) \{[\s\S]*?^\}$/m.exec(readFromRepository('docs/get-started.md')) ?? []
  const shell = openShell(home, env, definition)
  return {
    folder: home,
    run: shell.run,
    [Symbol.asyncDispose]: async () => {
      await shell[Symbol.asyncDispose]()
      for (const folder of [home, programs]) rmSync(folder, { recursive: true, force: true })
    },
  }
}
