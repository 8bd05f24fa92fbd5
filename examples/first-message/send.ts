import { createFlowpost } from '@flowpost/client'

// Reads FLOWPOST_BASE_URL and FLOWPOST_API_KEY.
const flowpost = createFlowpost()

const project = await flowpost.projects.create({ name: `billing ${Date.now()}` })

await flowpost.flows.create(project.id, {
  name: 'Operations by mail',
  source_type: 'smtp',
  target: 'ops@example.com',
  message_template: "Hi,\n\n'{{subject}}': {{message}}",
})

const notification = await flowpost.notifications
  .send({ project_id: project.id, subject: 'Invoice 42', message: 'It is ready.' })
  .settled({ timeout: 10_000 })

// A captured message has the status `sent`, although it has not left the machine.
for (const { target, status, captured } of notification.deliveries) console.log(`${target}: ${captured ? 'captured' : status}`)
