import type { CommandContext, DefineCommand } from '../command-context.ts'
import { checkConnection, checkEncryption, checkKeyAndClock, checkVersions } from '../doctor/check-server.ts'
import { checkFlows, checkScopes } from '../doctor/check-settings.ts'
import { type Finding, helpOf } from '../doctor/finding.ts'
import { readKeyDetails } from '../environments/key-details.ts'
import { addExamples } from '../examples.ts'
import { paintStatus } from '../output/colors.ts'
import { toSafeLine } from '../output/terminal-text.ts'

const isProblem = ({ status }: Finding): boolean => status === 'problem'

/** Runs the checks in order. Stops when the remaining checks cannot succeed. */
const runChecks = async (
  { connect, createClient, environmentsFile, io }: CommandContext,
  report: (finding: Finding) => void,
): Promise<void> => {
  const { environment } = await connect()
  const { baseUrl, apiKey } = environment
  const warning = await environmentsFile.permissionWarning()
  if (warning !== undefined)
    report({ check: 'stored keys', status: 'problem', detail: warning, action: `chmod 600 '${environmentsFile.path}'` })
  const connection = await checkConnection(io, baseUrl)
  for (const finding of connection) report(finding)
  if (connection.some((finding) => finding.check === 'server' && isProblem(finding))) return
  for (const finding of checkEncryption(baseUrl)) report(finding)
  report(await checkVersions(io, baseUrl))
  // Retries only once, so that an overloaded server is reported quickly.
  const flowpost = createClient(environment, { maxRetries: 1 })
  const keyFindings = await checkKeyAndClock(io, flowpost)
  for (const finding of keyFindings) report(finding)
  if (keyFindings.some(({ check, status }) => check === 'key' && status === 'problem')) return
  const details = await readKeyDetails(flowpost, apiKey, io.signal)
  for (const finding of checkScopes(details, io.now())) report(finding)
  if (details.canReadSettings) for (const finding of await checkFlows(flowpost, io.signal)) report(finding)
}

/** `flowpost doctor`: finds problems with the connection, the key and the flows, and says what to do. */
export const defineDoctor: DefineCommand = (command, context) => {
  const { output, setExitCode } = context
  addExamples(command, 'flowpost doctor', 'flowpost doctor --env production --json | jq \'.findings[] | select(.status == "problem")\'')
  command.addHelpText('after', '\nExits with 1 if there is a problem. Warnings do not change the exit code.')
  command.action(async () => {
    const findings: Finding[] = []
    await output.withProgress('Checking', () =>
      runChecks(context, (finding) => {
        findings.push(finding)
        const { check, status, detail, action } = finding
        output.print(
          `${paintStatus(output.paint, status).padEnd(7 + paintStatus(output.paint, status).length - status.length)}  ${toSafeLine(`${check}: ${detail}`)}`,
        )
        for (const line of [action, helpOf(finding)])
          if (line !== undefined) output.print(`         ${output.paint('dim', toSafeLine(line))}`)
      }),
    )
    const problems = findings.filter(isProblem).length
    output.print()
    output.print(problems === 0 ? 'No problems found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'} found.`)
    output.printJson({
      ok: problems === 0,
      findings: findings.map((finding) => ({ action: null, help: helpOf(finding) ?? null, ...finding })),
    })
    if (problems > 0) setExitCode(1)
  })
}
