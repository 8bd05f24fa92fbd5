import { type Html, html } from './html.ts'

/** Commands that make a project and a flow and send one notification, for a POSIX shell. */
export const firstMessageCommands = (origin: string): string => `api=${origin}/v1
auth="Authorization: Bearer $FLOWPOST_API_KEY"
json="Content-Type: application/json"

project=$(curl -sS $api/settings/projects -H "$auth" -H "$json" \\
  -d '{"name":"First steps '$(date +%s)'"}' | grep -o 'prj_[0-9a-z]*' | head -n 1)

curl -sS $api/settings/projects/$project/flows -H "$auth" -H "$json" \\
  -d '{"name":"Welcome","source_type":"smtp","target":"ada@example.com"}'

curl -sS $api/notifications -H "$auth" -H "$json" \\
  -d '{"project_id":"'$project'","subject":"Hello","message":"It works."}'`

/** What to try while nothing was captured yet. */
export const firstMessage = (origin: string): Html => html`<div class="notice">
<h2>Nothing captured yet</h2>
<p>Messages that would have left this machine appear here instead of at their receivers: those of every provider
with <code>FLOWPOST_CAPTURE=on</code>, or of providers without credentials with <code>FLOWPOST_CAPTURE=missing</code>.</p>
<p>Try it. Put the key that was printed at the first start into <code>FLOWPOST_API_KEY</code>, then send a message:</p>
<pre class="command" tabindex="0" role="region" aria-label="Commands that send a message">
<code>${firstMessageCommands(origin)}</code></pre>
</div>`
