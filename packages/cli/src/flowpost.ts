#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'

// Must run before the imports below. Node 20 has no compile cache.
module.enableCompileCache?.()
const [{ main }, { terminalPrompts }] = await Promise.all([import('./main.ts'), import('./input/terminal-prompts.ts')])

// `flowpost log | head` closes the pipe. That is not an error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })

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

const exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
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
process.exitCode = exitCode
process.stdout.write('', () => process.stderr.write('', () => process.exit()))
