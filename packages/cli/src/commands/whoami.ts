import type { DefineCommand } from '../command-context.ts'
import { readKeyDetails } from '../environments/key-details.ts'
import { addExamples } from '../examples.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { formatTime } from '../output/time-text.ts'

/** `flowpost whoami`: shows the server, the key and its permissions. */
export const defineWhoami: DefineCommand = (command, { io, output, connect }) => {
  addExamples(command, 'flowpost whoami', 'flowpost whoami --env production --json')
  command.addHelpText('after', '\nThe user is shown only for access tokens: the API does not return the user of a key.')
  command.action(async () => {
    const { flowpost, environment } = await connect()
    const details = await output.withProgress('Reading', () => readKeyDetails(flowpost, environment.apiKey, io.signal))
    const { kind, id, listed, subject, canReadSettings, canReadNotifications } = details
    const mode = listed?.mode ?? details.mode
    const expiresAt = listed === null ? details.expiresAt : listed.expires_at
    const rows = [
      ['server', toSafeLine(environment.baseUrl)],
      ['from', toSafeLine(environment.source)],
    ]
    if (kind === 'access_token') rows.push(['user', subject === null ? 'unknown: an access token without a subject' : toSafeLine(subject)])
    else rows.push(['key', `${id ?? 'without an id'}${listed === null ? '' : `, ${toSafeLine(listed.name)}`}`])
    rows.push(['mode', mode === 'test' ? 'test: messages are captured, not sent' : toSafeLine(mode)])
    if (listed !== null) {
      rows.push(['scopes', toSafeLine(listed.scopes.join(' '))])
      rows.push(['project', listed.project_id === null ? 'all' : toSafeLine(listed.project_id)])
    } else {
      rows.push(['settings', canReadSettings ? 'can be read' : 'cannot be read (scope settings:read)'])
      rows.push(['messages', canReadNotifications ? 'can be read' : 'cannot be read (scope notifications:read)'])
      rows.push([
        'others',
        `unknown: ${canReadSettings ? 'the key cannot be identified in the list of API keys' : 'listing API keys needs the scope settings:read'}`,
      ])
    }
    if (listed !== null || expiresAt !== null) rows.push(['expires', expiresAt === null ? 'never' : formatTime(expiresAt)])
    for (const [label = '', value = ''] of rows) output.print(`${output.paint('dim', label.padEnd(9))}${value}`)
    output.printJson({
      environment: environment.name ?? null,
      base_url: environment.baseUrl,
      kind,
      key_id: id,
      name: listed?.name ?? null,
      user: subject,
      mode,
      scopes: listed?.scopes ?? null,
      project_id: listed?.project_id ?? null,
      expires_at: expiresAt,
      can_read_settings: canReadSettings,
      can_read_notifications: canReadNotifications,
    })
  })
}
