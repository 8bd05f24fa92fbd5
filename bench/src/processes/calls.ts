// How the processes of a run talk: the parent calls a function of a child by name, over Node's channel between them.

/** The functions that a program offers to its parent. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the functions take; the caller's type of the program says what.
export type Program = Record<string, (argument: any) => Promise<unknown>>

/** What the parent sends. */
export interface Call {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** What the child sends back. */
export type Answer = { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string }

/** Offers the functions to the parent of this process, and ends with it. */
export const offer = (program: Program): void => {
  process.on('message', (call: Call) => {
    const work = program[call.name]
    const answer = (message: Answer) => process.send?.(message)
    Promise.resolve(work ? work(call.argument) : Promise.reject(new Error(`There is no ${call.name}.`))).then(
      (result) => answer({ id: call.id, result }),
      (error: unknown) => answer({ id: call.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
