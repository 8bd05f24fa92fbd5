/** Returns the errors of the steps that failed, in the order in which they did. */
const failuresOf = (error: unknown): readonly unknown[] =>
  error instanceof SuppressedError ? [...failuresOf(error.suppressed), error.error] : [error]

/**
 * Closes everything on a stack, the last opened first. A step that fails does not keep the others from running.
 * @throws the error of the step that failed, or an `AggregateError` when several did.
 */
export const closeAll = async (stack: AsyncDisposableStack): Promise<void> => {
  try {
    await stack.disposeAsync()
  } catch (error) {
    const failures = failuresOf(error)
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, `${failures.length} steps of closing failed.`)
  }
}
