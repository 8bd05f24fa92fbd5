import type { Flow, FlowCheck, Flowpost, Project } from '@flowpost/client'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { paintStatus } from '../output/colors.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** The maximum number of concurrent checks. It is small, because each check connects to a provider. */
const maxConcurrentChecks = 4

interface CheckedFlow {
  readonly project: Project
  readonly flow: Flow
  readonly check: FlowCheck
}

const readFlows = async (flowpost: Flowpost, projectId: string | undefined, signal: AbortSignal) => {
  const found: { project: Project; flow: Flow }[] = []
  const projects = projectId === undefined ? flowpost.projects.list({ limit: 1000 }, { signal }) : [await flowpost.projects.get(projectId)]
  for await (const project of projects)
    for await (const flow of flowpost.flows.list(project.id, { limit: 1000 }, { signal })) found.push({ project, flow })
  return found
}

const rowOf = ({ paint }: Output, { project, flow, check }: CheckedFlow): string[] => {
  const failed = check.checks.find(({ ok }) => !ok)
  const detail = failed === undefined ? '' : toSafeLine(`${failed.name} ${failed.code}: ${failed.detail}`)
  const name = `${toSafeLine(flow.name)}${flow.active ? '' : ' (inactive)'}`
  const target = toSafeLine(`${flow.source_type}:${flow.target}`)
  return [toSafeLine(project.name), name, target, paintStatus(paint, check.ok ? 'ok' : 'failed'), detail]
}

/** `flowpost check`: checks every flow with its provider, without sending. */
export const defineCheck: DefineCommand = (command, { io, output, connect, setExitCode }) => {
  addExamples(command, 'flowpost check', 'flowpost check --project billing', "flowpost check --json | jq '.flows[] | select(.ok | not)'")
  command.addHelpText('after', "\nNeeds a key with settings:write, because the server stores each result as the flow's health.")
  command.option('-p, --project <project>', 'only this project, by id, key or name (default: all)').action(async (options) => {
    const { flowpost } = await connect()
    const projectId = options.project === undefined ? undefined : await findProjectId(flowpost, options.project)
    const results = await output.withProgress('Reading flows', async (progress) => {
      const flows = await readFlows(flowpost, projectId, io.signal)
      let done = 0
      const showCount = () => progress.update(`Checking flows: ${done} of ${flows.length}`)
      showCount()
      return mapConcurrently(flows, maxConcurrentChecks, async ({ project, flow }): Promise<CheckedFlow> => {
        const check = await flowpost.flows.check(project.id, flow.id, { signal: io.signal })
        done += 1
        showCount()
        return { project, flow, check }
      })
    })
    const failed = results.filter(({ check }) => !check.ok).length
    if (results.length === 0) output.print('There are no flows.')
    else
      output.printTable(
        ['PROJECT', 'FLOW', 'TARGET', 'RESULT', 'DETAIL'],
        results.map((result) => rowOf(output, result)),
      )
    if (failed > 0) output.print(`${failed} of ${results.length} flows failed.`)
    output.printJson({
      ok: failed === 0,
      flows: results.map(({ project, flow, check }) => ({
        project_id: project.id,
        project: project.name,
        flow_id: flow.id,
        flow: flow.name,
        active: flow.active,
        source_type: flow.source_type,
        target: flow.target,
        ok: check.ok,
        checks: check.checks,
      })),
    })
    if (failed > 0) setExitCode(1)
  })
}
