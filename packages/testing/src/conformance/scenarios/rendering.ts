import type { FlowCreate, NotificationSend } from '@flowpost/client'
import type { ScenarioContext } from '../context.ts'
import { equal, includes } from '../failure.ts'
import { type Scenario, scenario } from '../scenario.ts'

const mail = { source_type: 'smtp', target: 'ops@example.com' } as const
const chat = { source_type: 'slack', target: 'C024BE91L' } as const

type Message = Pick<NotificationSend, 'message' | 'message_type'> & { readonly subject?: string }

/** What a preview says that a flow of its own would send. */
const rendered = async (context: ScenarioContext, fields: Partial<FlowCreate>, message: Message) => {
  const project = await context.project()
  await context.flow(project, { ...mail, ...fields })
  const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'S', ...message })
  const { subject, text, html } = flows[0]?.content ?? {}
  return { subject, text, html }
}

const html = { message_template_type: 'text/html' } as const
const asHtml = { message_type: 'text/html' } as const

/** How messages are made from templates. */
export const renderingScenarios: readonly Scenario[] = [
  scenario('notifications.preview', 200, 'replaces placeholders once, and only those', async (context) => {
    const message_template = '{{subject}}|{{message}}|{{ message }}|{{Subject}}'
    const message = { subject: '{{message}}', message: '{{subject}}' }
    const text = '{{message}}|{{subject}}|{{ message }}|{{Subject}}'
    equal(await rendered(context, { message_template }, message), { subject: '{{message}}', text, html: null }, 'content')
  }),

  scenario('notifications.preview', 200, 'reads \\n as a line break in plain templates alone', async (context) => {
    const plain = await rendered(context, { message_template: 'a\\n{{message}}' }, { message: 'b\\nc\nd' })
    equal(plain.text, 'a\nb\\nc\nd', 'text of a plain template')
    const marked = await rendered(context, { ...html, message_template: '<p>a\\n{{message}}</p>' }, { message: 'b\nc' })
    equal(marked.html, '<p>a\\nb<br>c</p>', 'HTML')
  }),

  scenario('notifications.preview', 200, 'escapes values for where they land', async (context) => {
    const message = { subject: '<i>', message: '<b> & "c"' }
    const email = await rendered(context, { ...html, message_template: '<p>{{subject}} {{message}}</p>' }, message)
    includes(email, { subject: '<i>', html: '<p>&lt;i&gt; &lt;b&gt; &amp; &quot;c&quot;</p>' }, 'an HTML email')
    const plain = await rendered(context, { message_template: '{{subject}} {{message}}' }, message)
    includes(plain, { text: '<i> <b> & "c"', html: null }, 'a plain email')
    const slack = await rendered(context, { ...chat, message_template: '*{{subject}}* {{message}}' }, message)
    includes(slack, { text: '*&lt;i&gt;* &lt;b&gt; &amp; "c"', html: null }, 'a chat message')
    const marked = await rendered(context, { ...chat, ...html, message_template: '<b>{{message}}</b>' }, { message: '<' })
    includes(marked, { text: '<b>&lt;</b>', html: null }, 'an HTML template on a chat')
  }),

  scenario('notifications.preview', 200, 'sends a message as it is by the template of only {{message}}', async (context) => {
    const message = { message: '<b>&\\n{{subject}}</b>' }
    const message_template = '{{message}}'
    equal((await rendered(context, { message_template }, { ...message, ...asHtml })).text, message.message, 'a plain email')
    equal((await rendered(context, { ...html, message_template }, message)).html, message.message, 'an HTML email')
    equal((await rendered(context, { ...chat, message_template }, message)).text, message.message, 'a chat message')
  }),

  scenario('notifications.preview', 200, 'takes HTML as markup in HTML email, and as plain text elsewhere', async (context) => {
    const message = { message: '<p>a &amp; b</p>', ...asHtml }
    const email = await rendered(context, { ...html, message_template: '<h1>x</h1>{{message}}' }, message)
    equal(email.html, '<h1>x</h1><p>a &amp; b</p>', 'an HTML email')
    equal((await rendered(context, { message_template: 'x {{message}}' }, message)).text, 'x a & b', 'a plain email')
    equal((await rendered(context, { ...chat, message_template: 'x {{message}}' }, message)).text, 'x a &amp; b', 'a chat message')
  }),

  scenario('notifications.preview', 200, 'skips a flow that no target reaches, whatever its own target', async (context) => {
    const project = await context.project()
    const reached = await context.flow(project, { ...mail, override_target: true })
    const skipped = await context.flow(project, { ...chat, override_target: true })
    const body = { project_id: project.id, subject: 'S', message: 'M', target: 'one@example.com' }
    const { flows } = await context.client.notifications.preview(body)
    const seen = [
      { flow_id: reached.id, outcome: 'matched', targets: ['one@example.com'] },
      { flow_id: skipped.id, outcome: 'skipped', reason: 'not_targeted', targets: [], content: null },
    ]
    includes(flows, seen, 'flows')
  }),

  scenario('notifications.preview', 200, 'tells of a message that is too long for its provider', async (context) => {
    const project = await context.project()
    await context.flow(project, { ...chat, message_template: 'x{{message}}' })
    const message = 'm'.repeat(40_000)
    const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'S', message })
    includes(flows[0]?.faults[0], { code: 'content_too_long' }, 'the fault')
  }),

  scenario(
    'notifications.preview',
    200,
    'tells of credentials that are missing, or that the message would be captured',
    async (context) => {
      const { source_type, target, isCaptured } = context.unconfigured()
      const project = await context.project()
      await context.flow(project, { source_type, target })
      const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'S', message: 'M' })
      const faults = isCaptured ? [] : [{ code: 'integration_missing' }]
      includes(flows, [{ outcome: 'matched', captured: isCaptured, faults }], 'flows')
    },
    ['unconfigured'],
  ),
]
