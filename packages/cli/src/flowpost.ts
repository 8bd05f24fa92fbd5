#!/usr/bin/env node
import { Console } from 'node:console'
import module from 'node:module'
import { homedir } from 'node:os'

// Must run before the imports below, so that their compiled code is cached. Node 20 does not have this function.
module.enableCompileCache?.()
const [{ main }, { terminalPrompts }, { openOutputStreams }] = await Promise.all([
  import('./main.ts'),
  import('./input/terminal-prompts.ts'),
  import('./output/output-streams.ts'),
])

// A config file is a program. Standard output contains only results, so what the file logs is written to standard error.
globalThis.console = new Console(process.stderr)

const controller = new AbortController()
const interrupt = () => {
  // A second Ctrl-C exits immediately.
  if (controller.signal.aborted) process.exit(130)
  controller.abort(new DOMException('Interrupted.', 'AbortError'))
}
process.on('SIGINT', interrupt)
// The program receives SIGHUP when the terminal is closed, and SIGTERM when another process ends it.
process.on('SIGHUP', interrupt)
process.on('SIGTERM', interrupt)

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  ...openOutputStreams(process),
  env: process.env,
  platform: process.platform,
  homeFolder: homedir(),
  workingFolder: process.cwd(),
  now: Date.now,
  signal: controller.signal,
  fetch: globalThis.fetch,
  prompts: terminalPrompts,
})

// Exits as soon as all output is written, even if requests or timers are still open.
process.stderr.write('', () => process.exit())
