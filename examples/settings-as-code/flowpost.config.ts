import { defineConfig, html } from '@flowpost/cli'

export default defineConfig({
  project: { key: 'billing', name: 'Billing' },
  flows: {
    'ops-mail': {
      source_type: 'smtp',
      target: 'ops@example.com',
      message_template: html`
        <h1>{{subject}}</h1>
        <p>{{message}}</p>
      `,
    },
    alerts: { source_type: 'slack', target: 'C024BE91L', override_target: true, message_template: '*{{subject}}*\n{{message}}' },
  },
  integrations: {
    smtp: {
      settings: { host: 'smtp.example.com', user: 'billing', from: 'billing@example.com' },
      secrets: { password: { env: 'BILLING_SMTP_PASSWORD' } },
    },
    slack: { secrets: { token: { env: 'BILLING_SLACK_TOKEN' } } },
  },
})
