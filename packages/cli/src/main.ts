import { CommanderError } from 'commander'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'

/** The exit code after Ctrl-C, as in a shell. */
const interruptedCode = 130

/** Runs the program with its arguments and returns its exit code. Never throws. */
export const main = async (args: readonly string[], io: Io): Promise<number> => {
  let exitCode = 0
  const pending: Promise<unknown>[] = []
  // Treats `flowpost help send` as `flowpost send --help`.
  const [first, ...rest] = args
  const parsed = first === 'help' ? [...rest, '--help'] : first === undefined ? ['--help'] : args
  try {
    const program = createProgram(io, {
      setExitCode: (code) => {
        exitCode = code
      },
      waitBeforeExit: (work) => {
        pending.push(work)
      },
    })
    await Promise.race([program.parseAsync(parsed, { from: 'user' }), rejectWhenAborted(io.signal)])
    return exitCode
  } catch (error) {
    if (io.signal.aborted) {
      await Promise.allSettled(pending)
      return interruptedCode
    }
    // The parser has already printed the message. The error's exit code is 0 after help or the version.
    if (error instanceof CommanderError) return error.exitCode
    reportError(error, io, args.includes('--json'))
    return 1
  }
}

const rejectWhenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
