#!/usr/bin/env node
// Plain JavaScript, so that a Node that is too old can still read this far and say so.
const needed = [24, 0]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(`Flowpost needs Node ${needed[0]} or later, and this is ${process.versions.node}.`)
  console.error('In its repository, `npx pnpm secrets` brings one.')
  process.exit(1)
}
await import('../src/cli/secrets.ts')
