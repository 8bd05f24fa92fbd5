import { fstatSync, writeFileSync } from 'node:fs'
import { CliError } from '../cli-error.ts'
import type { Io, OutputFailure, OutputStream } from '../io.ts'

const isFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    // A Windows program that is started without a console has no valid output.
    return false
  }
}

/** Waits until the stream has written everything, and has reported writes that failed: its `error` event follows the callback. */
const waitUntilWritten = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => setImmediate(resolve)))

/** Opens the output streams of a process, and records the first write that fails. */
export const openOutputStreams = ({
  stdout,
  stderr,
}: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Required<Pick<Io, 'stdout' | 'stderr' | 'outputClosed' | 'flush'>> => {
  const closed = new AbortController()
  let failure: OutputFailure | undefined
  const open = (stream: NodeJS.WriteStream & { readonly fd: number }, name: string): OutputStream => {
    const onError = ({ code, message }: NodeJS.ErrnoException) => {
      // Any other failure matters more than a reader that ended early.
      if (!failure || failure.isReaderGone)
        failure = { error: new CliError(`${name} cannot be written: ${message}`), isReaderGone: code === 'EPIPE' }
      closed.abort()
    }
    stream.on('error', onError)
    if (!isFile(stream.fd)) return stream
    // Node's stream for a file loses the end of a text silently if only its start fits on the disk. `writeFileSync` throws.
    return {
      write: (text) => {
        try {
          writeFileSync(stream.fd, text)
        } catch (error) {
          onError(error as NodeJS.ErrnoException)
        }
      },
    }
  }
  return {
    stdout: open(stdout, 'Standard output'),
    stderr: open(stderr, 'Standard error'),
    outputClosed: closed.signal,
    flush: async () => {
      await Promise.all([waitUntilWritten(stdout), waitUntilWritten(stderr)])
      return failure
    },
  }
}
