import { type Flow, type FlowCheck, type Flowpost, isFlowpostError, type Project } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { mapConcurrently } from '../map-concurrently.ts'
import { findProjectId } from '../notifications/find-settings.ts'
import { paintStatus } from '../output/colors.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** The maximum number of concurrent checks. It is small, because each check connects to a provider. */
const maxConcurrentChecks = 4

interface FlowOfProject {
  readonly project: Project
  readonly flow: Flow
}

interface CheckedFlow extends FlowOfProject, FlowCheck {
  /** Why the flow could not be checked. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** Lists the flows of one project or of all projects. Skips a project that is deleted while the projects are listed. */
const readFlows = async (flowpost: Flowpost, projectId: string | undefined, signal: AbortSignal) => {
  const found: FlowOfProject[] = []
  const projects = projectId === undefined ? flowpost.projects.list({ limit: 1000 }, { signal }) : [await flowpost.projects.get(projectId)]
  for await (const project of projects)
    try {
      for await (const flow of flowpost.flows.list(project.id, { limit: 1000 }, { signal })) found.push({ project, flow })
    } catch (error) {
      if (projectId !== undefined || !isFlowpostError(error) || error.code !== 'not_found') throw error
    }
  return found
}

/** Checks a flow. Returns `undefined` if the flow no longer exists. An error that concerns only this flow becomes a result. */
const checkFlow = async (flowpost: Flowpost, { project, flow }: FlowOfProject, signal: AbortSignal): Promise<CheckedFlow | undefined> => {
  try {
    const { ok, checks } = await flowpost.flows.check(project.id, flow.id, { signal })
    return { project, flow, ok, checks }
  } catch (error) {
    if (signal.aborted || !isFlowpostError(error)) throw error
    const { code, status, message } = error
    if (code === 'not_found') return undefined
    // All flows are checked with the same key.
    if (status === 401 || status === 403) throw error
    return { project, flow, ok: false, checks: [], error: { code, message } }
  }
}

const rowOf = ({ paint }: Output, { project, flow, ok, checks, error }: CheckedFlow): string[] => {
  const failed = checks.find((finding) => !finding.ok)
  const detail = toSafeLine(error?.message ?? (failed === undefined ? '' : `${failed.name} ${failed.code}: ${failed.detail}`))
  const name = `${toSafeLine(flow.name)}${flow.active ? '' : ' (inactive)'}`
  const target = toSafeLine(`${flow.source_type}:${flow.target}`)
  return [toSafeLine(project.name), name, target, paintStatus(paint, ok ? 'ok' : 'failed'), detail]
}

/** `flowpost check`: checks every flow with its provider, without sending. */
export const defineCheck: DefineCommand = (command, { io, output, connect, setExitCode }) => {
  addExamples(command, 'flowpost check', 'flowpost check --project billing', "flowpost check --json | jq '.flows[] | select(.ok | not)'")
  command.addHelpText('after', "\nNeeds a key with settings:write, because the server stores each result as the flow's health.")
  command.option('-p, --project <project>', 'only this project, by id, key or name (default: all)').action(async (options) => {
    const { flowpost } = await connect()
    const projectId = options.project === undefined ? undefined : await findProjectId(flowpost, options.project)
    const checked = await output.withProgress('Reading flows', async (progress) => {
      const flows = await readFlows(flowpost, projectId, io.signal)
      let done = 0
      const showCount = () => progress.update(`Checking flows: ${done} of ${flows.length}`)
      showCount()
      return mapConcurrently(flows, maxConcurrentChecks, async (flow) => {
        const result = await checkFlow(flowpost, flow, io.signal)
        done += 1
        showCount()
        return result
      })
    })
    const results = checked.filter((result) => result !== undefined)
    // Success would be misleading, because nothing was checked.
    if (checked.length > 0 && results.length === 0)
      throw new CliError('The server no longer has any of the flows that it listed.', 'Run the command again.')
    const failed = results.filter(({ ok }) => !ok).length
    if (results.length === 0) output.print('There are no flows.')
    else
      output.printTable(
        ['PROJECT', 'FLOW', 'TARGET', 'RESULT', 'DETAIL'],
        results.map((result) => rowOf(output, result)),
      )
    if (failed > 0) output.print(`${failed} of ${results.length} flows failed.`)
    output.printJson({
      ok: failed === 0,
      flows: results.map(({ project, flow, ok, checks, error }) => ({
        project_id: project.id,
        project: project.name,
        flow_id: flow.id,
        flow: flow.name,
        active: flow.active,
        source_type: flow.source_type,
        target: flow.target,
        ok,
        checks,
        error: error ?? null,
      })),
    })
    if (failed > 0) setExitCode(1)
  })
}
