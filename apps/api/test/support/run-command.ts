import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The result of {@link runCommand}. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a file from `bin` in a separate process. Its only environment variables are `env` and `PATH`. */
export const runCommand = (file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin', file), ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })
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
