#!/usr/bin/env node
// Plain JavaScript, so that an older, unsupported version of Node can still run this check.
const needed = [24, 0]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(`Flowpost needs Node ${needed[0]} or later. This is Node ${process.versions.node}.`)
  console.error('In the Flowpost repository, `npx pnpm secrets` downloads and uses a suitable Node.')
  process.exit(1)
}
const { runInProcess } = await import('../src/cli/command-line.ts')
const { secretsProgram } = await import('../src/cli/secrets.ts')
await runInProcess(secretsProgram)
