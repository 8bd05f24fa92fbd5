import { InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CommandContext, DefineCommand } from '../command-context.ts'
import { type DevFolder, openDevFolder } from '../dev/dev-folder.ts'
import { findServer } from '../dev/find-server.ts'
import { followConfig } from '../dev/follow-config.ts'
import { requireFreePort } from '../dev/free-port.ts'
import { openBrowser } from '../dev/open-browser.ts'
import { createServerEnvironment } from '../dev/server-environment.ts'
import { formatLogLine, parseLogLine } from '../dev/server-log.ts'
import { startServer } from '../dev/start-server.ts'
import { addExamples } from '../examples.ts'

const defaultPort = 3000
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

const readPort = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return Number(text)
}

/** Rejects a second server for the same folder, because only one process at a time can use the embedded database. */
const requireNotRunning = async ({ previous }: DevFolder, { createClient, io }: CommandContext): Promise<void> => {
  if (previous === undefined) return
  // Only this folder's server accepts this folder's key. Another server on the same URL rejects it.
  const isRunning = await createClient(previous, { maxRetries: 0 })
    .projects.list({ limit: 1 }, { signal: io.signal })
    .withResponse()
    .then(
      () => true,
      () => false,
    )
  if (isRunning) throw new CliError(`flowpost dev is already running in this folder, on ${previous.baseUrl}.`)
}

/** `flowpost dev`: starts a server with an embedded database in the working folder. */
export const defineDev: DefineCommand = (command, context) => {
  const { io, output, createClient, waitBeforeExit, endWithReader } = context
  addExamples(command, 'flowpost dev', 'flowpost dev --port 4000 --open', 'flowpost dev settings/billing.config.ts')
  command.addHelpText(
    'after',
    `
Needs Node 24 and the package @flowpost/server in the project. The database and the key are in .flowpost. The server captures
every message and sends none, even if credentials are set. The config file is applied at the start and whenever a file next to it
changes. Resources that the config file no longer contains are deleted. If an event endpoint's URL points to another machine, the
server ignores the URL, so that no event leaves this machine. The event feed still contains the events. The signing secret of a
new event endpoint is printed once. Commands in this folder use the server without a login. To run your program with the server's
URL and key:
node --env-file=.flowpost/dev.env app.js`,
  )
  command
    .argument('[file]', 'the config file (default: flowpost.config.ts, if it exists)')
    .option('--port <number>', `the port of the server; 0 chooses a free one (default: ${defaultPort})`, readPort)
    .option('--open', 'open the outbox in the browser')
    .addOption(
      command
        .createOption('--log-level <level>', 'the lowest log level to show')
        .choices(logLevels)
        .default('info' as const),
    )
    .action(async (file, options) => {
      endWithReader()
      const program = findServer(io.workingFolder)
      const folder = await openDevFolder(io.workingFolder)
      await requireNotRunning(folder, context)
      const port = await requireFreePort(options.port ?? defaultPort)
      const baseUrl = `http://127.0.0.1:${port}`
      const { apiKey, dataFolder } = folder
      const server = startServer({
        program,
        baseUrl,
        io,
        env: createServerEnvironment(io.env, { port, apiKey, dataFolder, logLevel: options.logLevel }),
        onLog: (line) => {
          output.print(formatLogLine(line, output.paint))
          output.printJsonLine({ event: 'log', entry: parseLogLine(line) ?? line })
        },
      })
      waitBeforeExit(server.exited)
      await output.withProgress('Starting the server', () => server.ready)
      await folder.publish(baseUrl)
      const outboxUrl = `${baseUrl}/outbox`
      output.print(output.paint('bold', `Flowpost is running on ${baseUrl}`))
      output.print(`  outbox   ${outboxUrl}`)
      output.print(`  API key  ${apiKey}`)
      output.print('  code     node --env-file=.flowpost/dev.env app.js')
      output.printJsonLine({ event: 'ready', base_url: baseUrl, api_key: apiKey, outbox_url: outboxUrl })
      await followConfig({ file, flowpost: createClient({ baseUrl, apiKey }), io, output })
      output.print('Commands in this folder use this server. Press Ctrl-C to stop it.')
      if (options.open && !(await openBrowser(outboxUrl, io))) output.warn(`No browser could be started. Open ${outboxUrl}`)
      const code = await server.exited
      if (!io.signal.aborted) throw new CliError(`The server exited with code ${code}. ${server.errorText()}`.trim())
    })
}
