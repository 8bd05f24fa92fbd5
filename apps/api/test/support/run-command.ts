import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** How a command of an operator ended. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a file of `bin` as an operator does, with this environment and no other. */
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
