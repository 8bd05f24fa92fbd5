import type { FlowCreate, NotificationSend } from '@flowpost/client'
import { assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { type Scenario, scenario } from '../scenario.ts'

const mail = { source_type: 'smtp', target: 'ops@example.com' } as const
const chat = { source_type: 'slack', target: 'C024BE91L' } as const

type Message = Pick<NotificationSend, 'message' | 'message_type'> & { readonly subject?: string }

/** Creates a flow with `fields`, previews a message for it, and returns the rendered content. */
const renderPreview = async (context: ScenarioContext, fields: Partial<FlowCreate>, message: Message) => {
  const project = await context.createProject()
  await context.createFlow(project, { ...mail, ...fields })
  const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'S', ...message })
  const { subject, text, html } = flows[0]?.content ?? {}
  return { subject, text, html }
}

/** Previews a message for a flow whose provider has no credentials. */
const previewUnconfigured = async (context: ScenarioContext) => {
  const { source_type, target } = context.unconfiguredProvider()
  const project = await context.createProject()
  await context.createFlow(project, { source_type, target })
  return (await context.client.notifications.preview({ project_id: project.id, subject: 'S', message: 'M' })).flows
}

const html = { message_template_type: 'text/html' } as const
const asHtml = { message_type: 'text/html' } as const

/** Scenarios about message rendering. */
export const renderingScenarios: readonly Scenario[] = [
  scenario('notifications.preview', 200, 'replaces only exact placeholders, and not those in inserted values', async (context) => {
    const message_template = '{{subject}}|{{message}}|{{ message }}|{{Subject}}'
    const message = { subject: '{{message}}', message: '{{subject}}' }
    const text = '{{message}}|{{subject}}|{{ message }}|{{Subject}}'
    assertEqual(await renderPreview(context, { message_template }, message), { subject: '{{message}}', text, html: null }, 'content')
  }),

  scenario('notifications.preview', 200, 'converts \\n to a line break only in plain templates', async (context) => {
    const plain = await renderPreview(context, { message_template: 'a\\n{{message}}' }, { message: 'b\\nc\nd' })
    assertEqual(plain.text, 'a\nb\\nc\nd', 'the text from a plain template')
    const marked = await renderPreview(context, { ...html, message_template: '<p>a\\n{{message}}</p>' }, { message: 'b\nc' })
    assertEqual(marked.html, '<p>a\\nb<br>c</p>', 'the HTML from an HTML template')
  }),

  scenario('notifications.preview', 200, 'escapes values for the output format', async (context) => {
    const message = { subject: '<i>', message: '<b> & "c"' }
    const email = await renderPreview(context, { ...html, message_template: '<p>{{subject}} {{message}}</p>' }, message)
    assertIncludes(email, { subject: '<i>', html: '<p>&lt;i&gt; &lt;b&gt; &amp; &quot;c&quot;</p>' }, 'an HTML email')
    const plain = await renderPreview(context, { message_template: '{{subject}} {{message}}' }, message)
    assertIncludes(plain, { text: '<i> <b> & "c"', html: null }, 'a plain email')
    const slack = await renderPreview(context, { ...chat, message_template: '*{{subject}}* {{message}}' }, message)
    assertIncludes(slack, { text: '*&lt;i&gt;* &lt;b&gt; &amp; "c"', html: null }, 'a chat message')
    const marked = await renderPreview(context, { ...chat, ...html, message_template: '<b>{{message}}</b>' }, { message: '<' })
    assertIncludes(marked, { text: '<b>&lt;</b>', html: null }, 'an HTML template for a chat provider')
  }),

  scenario('notifications.preview', 200, 'inserts dollar signs unchanged, and each line break as one <br>', async (context) => {
    const fields = { ...html, message_template: '<p>{{subject}}: {{message}}</p>' }
    const dollars = await renderPreview(context, fields, { subject: '$&', message: '$1 $$ $`' })
    assertIncludes(dollars, { html: '<p>$&amp;: $1 $$ $`</p>', text: '$&: $1 $$ $`' }, 'a message with dollar signs')
    const lines = await renderPreview(context, fields, { message: 'a\r\nb\rc\nd' })
    assertEqual(lines.html, '<p>S: a<br>b<br>c<br>d</p>', 'the HTML of a message with line breaks')
  }),

  scenario('notifications.preview', 200, 'renders the message unchanged when the template is only {{message}}', async (context) => {
    const message = { message: '<b>&\\n{{subject}}</b>' }
    const message_template = '{{message}}'
    assertEqual(
      (await renderPreview(context, { message_template }, { ...message, ...asHtml })).text,
      message.message,
      'the text of a plain email',
    )
    assertEqual((await renderPreview(context, { ...html, message_template }, message)).html, message.message, 'the HTML of an HTML email')
    assertEqual((await renderPreview(context, { ...chat, message_template }, message)).text, message.message, 'the text of a chat message')
  }),

  scenario('notifications.preview', 200, 'inserts an HTML message as markup in HTML emails and as text elsewhere', async (context) => {
    const message = { message: '<p>a &amp; b</p>', ...asHtml }
    const email = await renderPreview(context, { ...html, message_template: '<h1>x</h1>{{message}}' }, message)
    assertEqual(email.html, '<h1>x</h1><p>a &amp; b</p>', 'the HTML of an HTML email')
    assertEqual(/[<>]|&amp;/.test(email.text ?? ''), false, 'whether the text alternative of an HTML email contains markup')
    assertEqual((email.text ?? '').split(/\s+/).filter(Boolean), ['x', 'a', '&', 'b'], 'the words in the text alternative of an HTML email')
    assertEqual((await renderPreview(context, { message_template: 'x {{message}}' }, message)).text, 'x a & b', 'the text of a plain email')
    assertEqual(
      (await renderPreview(context, { ...chat, message_template: 'x {{message}}' }, message)).text,
      'x a &amp; b',
      'the text of a chat message',
    )
  }),

  scenario('notifications.preview', 200, 'skips a flow that no target matches', async (context) => {
    const project = await context.createProject()
    const reached = await context.createFlow(project, { ...mail, override_target: true })
    const skipped = await context.createFlow(project, { ...chat, override_target: true })
    const body = { project_id: project.id, subject: 'S', message: 'M', target: 'one@example.com' }
    const { flows } = await context.client.notifications.preview(body)
    const seen = [
      { flow_id: reached.id, outcome: 'matched', targets: ['one@example.com'] },
      { flow_id: skipped.id, outcome: 'skipped', reason: 'not_targeted', targets: [], content: null },
    ]
    assertIncludes(flows, seen, 'flows')
  }),

  scenario('notifications.preview', 200, 'reports a message that is too long for its provider', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { ...chat, message_template: 'x{{message}}' })
    const message = 'm'.repeat(40_000)
    const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'S', message })
    assertIncludes(flows[0]?.faults[0], { code: 'content_too_long' }, 'the issue')
  }),

  scenario(
    'notifications.preview',
    200,
    'reports missing credentials',
    async (context) => {
      const [flow] = await previewUnconfigured(context)
      assertIncludes(flow, { outcome: 'matched', captured: false, faults: [{ code: 'integration_missing' }] }, 'flow')
    },
    ['rejectsWithoutCredentials'],
  ),

  scenario(
    'notifications.preview',
    200,
    'reports that the message would be captured',
    async (context) => {
      const [flow] = await previewUnconfigured(context)
      assertIncludes(flow, { outcome: 'matched', captured: true, faults: [] }, 'flow')
    },
    ['capturesWithoutCredentials'],
  ),
]
