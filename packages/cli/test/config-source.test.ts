import { describe, expect, it } from 'vitest'
import { toConfigSource } from '../src/settings/config-source.ts'

describe('the source of a pulled config', () => {
  it('writes names and texts from the server as values, never as code', () => {
    const settings = JSON.parse(`{"__proto__":"a\u202eb","x\\ny":["\`\${process.exit()}\\n"]}`)
    const names = new Map([['slack', ['token', 'a\nprocess.exit()']]])
    const source = toConfigSource(
      { project: { key: 'k', name: 'K' }, flows: [], integrations: [{ source_type: 'slack', settings }], event_endpoints: [] },
      names,
    )
    expect(source).toContain(`['__proto__']: 'a\\u202eb'`)
    expect(source).toContain('`\\`\\$')
    expect(source).toContain("// secrets: { token: { env: 'K_SLACK_TOKEN' } },")
  })

  it('refers to the URLs of a provider by the names that flows use', () => {
    const flow = { name: 'F', active: true, override_target: false, message_template: 'm', message_template_type: 'text/plain' as const }
    const flowTo = (key: string, source_type: string, target: string) => ({ ...flow, key, source_type, target })
    const source = toConfigSource(
      {
        project: { key: 'k', name: 'K' },
        flows: [
          flowTo('a', 'webhook', 'ops'),
          flowTo('b', 'webhook', 'on-call'),
          flowTo('c', 'webhook', 'ops'),
          flowTo('d', 'slack', 'C1'),
        ],
        integrations: [
          { source_type: 'webhook', settings: {} },
          { source_type: 'teams', settings: {} },
        ],
        event_endpoints: [],
      },
      new Map([
        ['webhook', ['urls', 'signing_secret']],
        ['teams', ['urls']],
      ]),
    )
    expect(source).toContain(
      "// secrets: { urls: { ops: { env: 'K_WEBHOOK_URL_OPS' }, 'on-call': { env: 'K_WEBHOOK_URL_ON_CALL' } }, signing_secret: { env: 'K_WEBHOOK_SIGNING_SECRET' } },",
    )
    expect(source).toContain("// secrets: { urls: { name: { env: 'K_TEAMS_URL_NAME' } } },")
  })
  it('refers to each secret by another variable', () => {
    const flow = { name: 'F', active: true, override_target: false, message_template: 'm', message_template_type: 'text/plain' as const }
    const flows = ['a-b', 'a_b', 'a-b-2'].map((target, index) => ({ ...flow, key: `f${index}`, source_type: 'webhook', target }))
    const source = toConfigSource(
      { project: { key: 'k', name: 'K' }, flows, integrations: [{ source_type: 'webhook', settings: {} }], event_endpoints: [] },
      new Map([['webhook', ['urls']]]),
    )
    const variables = [...source.matchAll(/env: '(\w+)'/g)].map(([, name]) => name)
    expect(variables).toEqual(['K_WEBHOOK_URL_A_B', 'K_WEBHOOK_URL_A_B_2', 'K_WEBHOOK_URL_A_B_2_2'])
  })
})
