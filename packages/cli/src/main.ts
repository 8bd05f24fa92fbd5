import { CommanderError } from 'commander'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'
import { toUsageError } from './usage-error.ts'

/** The exit code after Ctrl-C, as in a shell. */
const interruptedCode = 130

/** Runs the program with its arguments and returns its exit code. Never throws. */
export const main = async (args: readonly string[], io: Io): Promise<number> => {
  const end = args.indexOf('--')
  // After `--`, every argument is a value.
  const isJson = (end === -1 ? args : args.slice(0, end)).includes('--json')
  const exitCode = await runCommand(args, io, isJson)
  const failure = await io.flush?.()
  if (!failure || failure.isReaderGone) return exitCode
  reportError(failure.error, io, isJson)
  return exitCode || 1
}

const runCommand = async (args: readonly string[], io: Io, isJson: boolean): Promise<number> => {
  let exitCode = 0
  const pending: Promise<unknown>[] = []
  const ended = new AbortController()
  const signal = AbortSignal.any([io.signal, ended.signal])
  const parsed = toParsedArguments(args)
  try {
    const hooks = {
      setExitCode: (code: 1 | 2) => {
        exitCode = code
      },
      waitBeforeExit: (work: Promise<unknown>) => {
        pending.push(work)
      },
      endWithReader: () => {
        if (io.outputClosed) onAbort(io.outputClosed, () => ended.abort())
      },
    }
    const program = createProgram({ ...io, signal }, hooks, { printsErrors: !isJson })
    await Promise.race([program.parseAsync(parsed, { from: 'user' }), rejectWhenAborted(signal)])
    return exitCode
  } catch (error) {
    if (signal.aborted) {
      await Promise.allSettled(pending)
      return io.signal.aborted ? interruptedCode : exitCode
    }
    // The parser throws this error for invalid arguments. Without --json, it has already printed the message. The parser also
    // throws this error, with the exit code 0, after it has printed the help or the version.
    if (error instanceof CommanderError) {
      if (isJson && error.exitCode !== 0) reportError(toUsageError(error), io, true)
      return error.exitCode
    }
    reportError(error, io, isJson)
    return 1
  }
}

/** Converts `help send` to `send --help`. The help of `help`, or of no command, is the general help. */
const toParsedArguments = (args: readonly string[]): readonly string[] => {
  const [first, second] = args
  if (first === undefined) return ['--help']
  return first === 'help' ? [...args.slice(second === 'help' ? 2 : 1), '--help'] : args
}

const onAbort = (signal: AbortSignal, listener: () => void): void => {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

const rejectWhenAborted = (signal: AbortSignal): Promise<never> => new Promise((_, reject) => onAbort(signal, () => reject(signal.reason)))
