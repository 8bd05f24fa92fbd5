import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '@flowpost/testing'
import { type MockServer, startMockServer } from '@flowpost/testing/server'
import { afterAll } from 'vitest'
import type { Io, OutputStream } from '../../src/io.ts'
import { main } from '../../src/main.ts'

/** The result of a command. */
export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the fields that they name.
  json(): any
}

/** Changes to the environment of a command. */
export interface RunOptions {
  readonly env?: Record<string, string>
  /** The standard input. Without it, the input is a terminal. */
  readonly stdin?: string
  /** Answers to prompts, in order. `undefined` cancels. */
  readonly answers?: (string | boolean | undefined)[]
  readonly isTerminal?: boolean
  readonly platform?: NodeJS.Platform
  readonly signal?: AbortSignal
  readonly now?: () => number
  /** Sends the requests of the command. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch
  /** Receives each text that the command writes, for commands that run until Ctrl-C. */
  readonly onOutput?: (text: string) => void
}

const createStream = (isTTY: boolean, onOutput?: (text: string) => void): OutputStream & { text: string } => ({
  text: '',
  isTTY,
  columns: 100,
  write(text: string) {
    this.text += text
    onOutput?.(text)
  },
})

/** Simulates a user's machine: a home folder, and a function that runs commands with it in this process. */
export const createMachine = (defaults: Record<string, string> = {}) => {
  const home = mkdtempSync(join(tmpdir(), 'flowpost-cli-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<CliResult> => {
    const { stdin, answers = [], isTerminal = false } = options
    const stdout = createStream(isTerminal, options.onOutput)
    const stderr = createStream(isTerminal, options.onOutput)
    const answer = async () => answers.shift()
    const input = {
      isTTY: stdin === undefined,
      [Symbol.asyncIterator]: async function* () {
        if (stdin !== undefined) yield stdin
      },
    }
    const io: Io = {
      stdin: input,
      stdout,
      stderr,
      env: { ...defaults, ...options.env },
      platform: options.platform ?? 'linux',
      homeFolder: home,
      workingFolder: home,
      now: options.now ?? Date.now,
      signal: options.signal ?? new AbortController().signal,
      fetch: options.fetch ?? globalThis.fetch,
      prompts: {
        secret: async () => (await answer()) as string | undefined,
        text: async () => (await answer()) as string | undefined,
        confirm: async () => (await answer()) === true,
      },
    }
    const code = await main(args, io)
    return { code, stdout: stdout.text, stderr: stderr.text, json: () => JSON.parse(stdout.text) }
  }
  return { home, run }
}

/** Starts a mock server on a real port, and creates a machine whose environment variables select that server. */
export const startCliServer = async (
  options: MockOptions = {},
): Promise<{ mock: FlowpostMock; server: MockServer } & ReturnType<typeof createMachine>> => {
  const mock = createFlowpostMock(options)
  const server = await startMockServer(mock)
  afterAll(() => server.close())
  return { mock, server, ...createMachine({ FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: mock.apiKey }) }
}
