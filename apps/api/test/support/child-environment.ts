/**
 * The environment variables that every process started by a test needs, in addition to the test's own variables. The processes
 * share the test run's compile cache, because otherwise each would compile the server again.
 */
export const childEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  ...(process.env['NODE_COMPILE_CACHE'] ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } : {}),
}
