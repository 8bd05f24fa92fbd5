import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiscordServer, startDiscordServer } from '../support/discord-server.ts'
import { eventEnv as encryption } from '../support/event-endpoints.ts'
import { followGuide } from '../support/follow-guide.ts'
import { codeBlocksOf, hasCurl, readGuide } from '../support/guide-pages.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { startTeamsServer, type TeamsServer } from '../support/teams-server.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let discord: DiscordServer
let teams: TeamsServer
let server: TestServer
beforeAll(async () => {
  discord = await startDiscordServer()
  teams = await startTeamsServer()
  server = await startTestServer({
    env: { ...encryption, FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8' },
    providers: [discord.provider, teams.provider],
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await discord[Symbol.asyncDispose]()
  await teams[Symbol.asyncDispose]()
})

const sent = { status: 'sent', deliveries: [{ status: 'sent', captured: false }] }
const readJson = (line: string | undefined) => JSON.parse(line ?? '')

/** Stores a URL, sends a message to it, and returns the failure of the delivery. */
const failureWith = async (source_type: string, url: string, target = 'alerts') => {
  const { project } = await createFlow(server, { source_type, target })
  const path = `/v1/settings/projects/${project.id}/integrations/${source_type}`
  const stored = await server.request('PUT', path, { json: { settings: {}, secrets: { urls: { alerts: url } } } })
  if (stored.status !== 200) return stored.json.code
  const { deliveries } = await readCompleted(server, (await send(server, project.id)).id)
  return `${deliveries[0].failure.code} ${deliveries[0].failure.kind}`
}

describe('the guide discord.md', () => {
  it.skipIf(!hasCurl)('checks a flow and posts messages', async () => {
    const [integration, check, completed, ...printed] = await followGuide(server, 'discord', {
      env: { DISCORD_WEBHOOK_URL: discord.webhookUrl },
    })
    expect(integration).not.toContain(discord.webhookUrl)
    expect(readJson(check)).toMatchObject({ ok: true, checks: [{ name: 'webhook', code: 'ok' }] })
    expect(readJson(completed)).toMatchObject({ ...sent, deliveries: [{ provider_message_id: '1180000000000000011' }] })
    expect(printed).toEqual(['sent'])
    expect(discord.posted.map(({ content }) => content)).toEqual(['**Invoice 42**\nIt is ready.', '**Disk of host-7**\nIt is 91 % full.'])
    expect(discord.posted[0]).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 })
  })

  it('names the failures that Discord causes', async () => {
    const { webhookUrl } = discord
    expect(await failureWith('discord', webhookUrl.replace('0001/', '0009/'))).toBe('10015 credential')
    expect(await failureWith('discord', `${webhookUrl}x`)).toBe('50027 credential')
    expect(await failureWith('discord', webhookUrl, 'other')).toBe('name_unknown target')
    expect(await failureWith('discord', `${webhookUrl}?wait=true`)).toBe('validation_failed')
    const page = readGuide('discord')
    for (const code of ['`10015`, kind `credential`', '`50027`, kind `credential`', '`name_unknown`', '`validation_failed`'])
      expect(page).toContain(code)
  })
})

describe('the guide teams.md', () => {
  it.skipIf(!hasCurl)('posts messages as the cards that the guide shows', async () => {
    const [integration, check, completed, ...printed] = await followGuide(server, 'teams', {
      env: { TEAMS_WORKFLOW_URL: teams.workflowUrl },
    })
    expect(integration).not.toContain('sig=')
    expect(readJson(check)).toMatchObject({ ok: true, checks: [{ name: 'webhook', code: 'not_tried' }] })
    expect(readJson(completed)).toMatchObject({ ...sent, deliveries: [{ provider_message_id: '08584688421' }] })
    expect(printed).toEqual(['sent'])
    const [card] = codeBlocksOf('teams', 'json')
    expect(teams.accepted[0]).toEqual(readJson(card))
    expect(teams.accepted).toHaveLength(2)
  })

  it('names the failures that Power Automate causes', async () => {
    const { workflowUrl } = teams
    expect(await failureWith('teams', workflowUrl.replace('643e', '0000'))).toBe('WorkflowNotFound credential')
    expect(await failureWith('teams', `${workflowUrl}x`)).toBe('DirectApiAuthorizationRequired credential')
    expect(await failureWith('teams', 'https://example.webhook.office.com/webhookb2/1')).toBe('validation_failed')
    const page = readGuide('teams')
    for (const code of ['WorkflowNotFound', 'DirectApiAuthorizationRequired', 'validation_failed']) expect(page).toContain(`\`${code}\``)
  })
})
