// Remote procedure calls from a process to its child processes, over Node's IPC channel.

/** The functions that a child process exposes to its parent. */
// biome-ignore lint/suspicious/noExplicitAny: the type of each program declares the arguments.
export type Program = Record<string, (argument: any) => Promise<unknown>>

/** A message from the parent: a function call. */
export interface Call {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** A message from the child: the result of a call, or its error. */
export type Reply = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string }

/** Exposes functions to the parent process. This process exits when the parent does. */
export const expose = (program: Program): void => {
  process.on('message', (call: Call) => {
    const work = program[call.name]
    const reply = (message: Reply) => process.send?.(message)
    Promise.resolve(work ? work(call.argument) : Promise.reject(new Error(`Unknown function: ${call.name}`))).then(
      (result) => reply({ id: call.id, result }),
      (error: unknown) => reply({ id: call.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
