/** Returns the errors in a chain of `SuppressedError`s, oldest first. Returns any other error as the only element. */
const failuresOf = (error: unknown): readonly unknown[] =>
  error instanceof SuppressedError ? [...failuresOf(error.suppressed), error.error] : [error]

/**
 * Closes everything on a stack, in reverse order. If a step fails, the remaining steps still run.
 * @throws the error of the step that failed, or an `AggregateError` when several failed.
 */
export const closeAll = async (stack: AsyncDisposableStack): Promise<void> => {
  try {
    await stack.disposeAsync()
  } catch (error) {
    const failures = failuresOf(error)
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, `${failures.length} shutdown steps failed.`)
  }
}
