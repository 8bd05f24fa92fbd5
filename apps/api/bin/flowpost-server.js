#!/usr/bin/env node
// The npm package's executable. It starts the server, or runs the operator command that the first argument names.
// Plain JavaScript, so that an older, unsupported version of Node can still run this check.
const needed = [24, 0]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(`@flowpost/server needs Node ${needed[0]} or later. This is Node ${process.versions.node}.`)
  process.exit(1)
}

const help = `Starts the Flowpost server, or runs an operator command.

  flowpost-server             Starts the server. Environment variables configure it.
  flowpost-server backup      Backs up the database.
  flowpost-server keys        Creates, lists and revokes API keys.
  flowpost-server migrate     Migrates the database.
  flowpost-server restore     Restores a backup.
  flowpost-server secrets     Re-encrypts the stored secrets with a new key.
  flowpost-server --version   Prints the version.

Each command has --help. Variables: https://github.com/flowpost/flowpost/blob/main/docs/configuration.md`

// The programs of the operator commands. Each program starts when its module is imported.
const programs = {
  backup: () => import('./backup.js'),
  keys: () => import('./keys.js'),
  migrate: () => import('./migrate.js'),
  restore: () => import('./restore.js'),
  secrets: () => import('./secrets.js'),
}

const [name] = process.argv.slice(2)
if (name === undefined) await import('./flowpost.js')
else if (Object.hasOwn(programs, name)) {
  // Removes the command's name, because each program expects its arguments right after the script's path.
  process.argv.splice(2, 1)
  await programs[name]()
} else if (name === '--help' || name === '-h') console.log(help)
else if (name === '--version') console.log((await import('../src/version.ts')).version)
else {
  console.error(`There is no command ${name}. Run \`flowpost-server --help\` for help.`)
  process.exitCode = 2
}
