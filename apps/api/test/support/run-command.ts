import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type CommandProgram, runProgram } from '../../src/cli/command-line.ts'
import { childEnvironment } from './child-environment.ts'

/** The result of {@link runCommand}. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * Runs an operator's command in this process, which takes a fraction of the time of a separate process. Its only environment
 * variables are `env`.
 */
export const runCommand = async (
  program: CommandProgram,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> => {
  let out = ''
  let err = ''
  const print = (text: string) => {
    out += `${text}\n`
  }
  const printError = (text: string) => {
    err += `${text}\n`
  }
  const code = await runProgram(program, { args, env, print, printError })
  return { code, out, err }
}

/** Runs a file from `bin` in a separate process. Its only environment variables are `env` and those that every process needs. */
export const runBinary = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin', file), ...args], { env: { ...childEnvironment, ...env } })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
