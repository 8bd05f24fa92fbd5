import { type Html, html } from '../../shared/html.ts'

/**
 * POSIX shell commands that use curl to create a project and a flow, send one notification and print its result. They
 * read `FLOWPOST_BASE_URL` and `FLOWPOST_API_KEY`. They can be run repeatedly, because the project name contains a
 * timestamp.
 */
export const firstMessageCommands = `flowpost() {
  curl -sS -w '\\n' -H "Authorization: Bearer $FLOWPOST_API_KEY" -H 'Content-Type: application/json' "$@"
}

project=$(flowpost "$FLOWPOST_BASE_URL/v1/settings/projects" \\
  -d '{ "name": "First steps '"$(date +%s)"'" }' | grep -o 'prj_[0-9a-z]*' | head -n 1)

flowpost "$FLOWPOST_BASE_URL/v1/settings/projects/$project/flows" \\
  -d '{ "name": "Operations by mail", "source_type": "smtp", "target": "ops@example.com" }'

notification=$(flowpost "$FLOWPOST_BASE_URL/v1/notifications" \\
  -d '{ "project_id": "'"$project"'", "subject": "Invoice 42", "message": "It is ready." }' | grep -o 'ntf_[0-9a-z]*' | head -n 1)

flowpost "$FLOWPOST_BASE_URL/v1/notifications/$notification?wait=10"`

/** Renders the instructions that the list shows while no messages have been captured. */
export const renderFirstMessage = (origin: string): Html => html`<div class="notice">
<h2>Nothing captured yet</h2>
<p>Captured messages appear here instead of reaching their recipients. <code>FLOWPOST_CAPTURE=on</code> captures all messages;
<code>FLOWPOST_CAPTURE=missing</code> captures only those whose provider has no credentials.</p>
<p>To send a message, run these commands. Replace <code>fp_…</code> with the key that was printed at the first start.</p>
<pre class="command" tabindex="0" role="region" aria-label="Commands that send a message">
<code>export FLOWPOST_BASE_URL=${origin}
export FLOWPOST_API_KEY=fp_…

${firstMessageCommands}</code></pre>
</div>`
