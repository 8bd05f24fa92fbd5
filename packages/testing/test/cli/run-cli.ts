import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runConformanceProgram } from '../../src/cli/conformance-program.ts'

const run = promisify(execFile)

/** Returns the path of a command. */
export const script = (name: string): string => `${import.meta.dirname}/../../src/cli/${name}.ts`

/** Runs `flowpost-conformance` in this process and returns its exit code and its output. */
export const conformance = async (args: readonly string[]): Promise<{ code: number; out: string }> => {
  let out = ''
  const print = (line: string) => {
    out += `${line}\n`
  }
  const code = await runConformanceProgram(args, {}, { print, printError: print })
  return { code, out }
}

/** Runs `flowpost-conformance` in a separate process and returns its exit code and its output. */
export const conformanceProcess = async (
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<{ code: number; out: string }> => {
  try {
    const { stdout, stderr } = await run(process.execPath, [...nodeArgs, script('conformance'), ...args])
    return { code: 0, out: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout + stderr }
  }
}
