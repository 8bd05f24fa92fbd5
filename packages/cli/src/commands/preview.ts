import type { PreviewedFlow } from '@flowpost/client'
import type { DefineCommand } from '../command-context.ts'
import { addExamples } from '../examples.ts'
import { addMessageOptions, readNotification } from '../notifications/message-options.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine, toSafeText } from '../output/terminal-text.ts'

const printFlow = ({ print, paint }: Output, flow: PreviewedFlow): void => {
  const { flow_id, source_type, outcome, reason, targets, captured, content, faults } = flow
  const state =
    outcome === 'matched' ? paint('green', 'matched') : paint('yellow', toSafeLine(`${outcome}${reason === null ? '' : `: ${reason}`}`))
  print(`${paint('bold', toSafeLine(flow_id))}  ${toSafeLine(source_type)}  ${state}${captured ? '  captured' : ''}`)
  for (const target of targets) print(`  to       ${toSafeLine(target)}`)
  for (const { code, message } of faults) print(`  ${paint('red', 'problem')}  ${toSafeLine(`${code}: ${message}`)}`)
  if (content !== null) {
    print(`  subject  ${toSafeLine(content.subject)}`)
    for (const line of toSafeText(content.html ?? content.text).split('\n')) print(`  ${paint('dim', '|')} ${line}`)
  }
}

/** `flowpost preview`: shows what a notification would send. */
export const definePreview: DefineCommand = (command, { io, output, connect, setExitCode }) => {
  addExamples(
    command,
    'flowpost preview "The invoice is ready." --project billing --subject "Invoice 42"',
    'flowpost preview --subject "Report" --file report.html --html --json',
  )
  addMessageOptions(command, io.now).action(async (message, options) => {
    const body = await readNotification(message, options, io, async () => (await connect()).flowpost)
    const { flowpost } = await connect()
    const preview = await output.withProgress('Rendering', () => flowpost.notifications.preview(body, { signal: io.signal }))
    for (const flow of preview.flows) printFlow(output, flow)
    output.printJson(preview)
    if (preview.flows.some(({ faults }) => faults.length > 0)) setExitCode(1)
  })
}
