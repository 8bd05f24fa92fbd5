/**
 * The environment variables that each process of a test needs, besides those of the test. The processes share the compile cache
 * of the test run, because otherwise each would compile the server again.
 */
export const childEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  ...(process.env['NODE_COMPILE_CACHE'] ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } : {}),
}
