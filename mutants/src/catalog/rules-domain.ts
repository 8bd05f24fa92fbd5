import type { Mutant } from '../mutant.ts'
import { inFile } from './in-file.ts'

const folder = 'packages/domain/src'

/** Server bugs in the rules for targets, templates and limits. */
export const domainRuleMutants: readonly Mutant[] = [
  ...inFile(`${folder}/planning/plan-deliveries.ts`, [
    {
      name: 'inactive flows are triggered',
      find: 'const targets = flow.active ? targetsOf(flow) : []',
      replace: 'const targets = targetsOf(flow)',
      killedBy: /^notifications\.send 202: creates a delivery for every active flow/,
    },
    {
      name: 'a flow without a matching target uses its default',
      find: 'collectTargets(request, targetsOf)',
      replace:
        'collectTargets(request, (flow) => targetsOf(flow).length ? targetsOf(flow) : toDistinctTargets([parseTargetOfFlow(flow, request.channelOf)]))',
      killedBy: /^notifications\.preview 200: skips a flow that no target matches/,
    },
    {
      name: 'a repeated target is delivered twice',
      find: 'if (!result?.ok || keys.has(result.key)) continue',
      replace: 'if (!result?.ok) continue',
      killedBy: /^notifications\.send 202: delivers to the request's targets instead of/,
    },
    {
      name: 'a notification may have 1,001 deliveries',
      find: 'export const maxDeliveries = 1000',
      replace: 'export const maxDeliveries = 1001',
      killedBy: /^notifications\.preview 422: rejects more than 1,000 deliveries/,
    },
    {
      name: 'a notification may have 999 deliveries',
      find: 'export const maxDeliveries = 1000',
      replace: 'export const maxDeliveries = 999',
      killedBy: /^notifications\.preview 422: rejects more than 1,000 deliveries/,
    },
    {
      name: 'an inactive flow is reported as a project without active flows',
      find: `return reject('flow_inactive', []`,
      replace: `return reject('no_active_flows', []`,
      killedBy: /^notifications\.send 409: rejects a project without an active flow/,
    },
    {
      name: 'unroutable targets are ignored',
      find: `reject('override_not_allowed', errors)\n  if (errors.length > 0) return reject('target_unroutable', errors)`,
      replace: `reject('override_not_allowed', errors)`,
      killedBy: /^notifications\.(send|preview) 422/,
    },
    {
      name: 'flows that were not targeted are reported as inactive',
      find: `reason: flow.active ? 'not_targeted' : 'inactive'`,
      replace: `reason: 'inactive'`,
      killedBy: /^notifications\.preview 200: skips a flow that no target matches/,
    },
  ]),
  ...inFile(`${folder}/planning/route-entry.ts`, [
    {
      name: 'a target overrides the default of a flow that does not allow it',
      find: 'if (!flow.override_target) group.push(',
      replace: 'if (!flow.active) group.push(',
      killedBy: /^notifications\.send 422: sends nothing when a target is rejected/,
    },
    {
      name: 'the provider that a target names is ignored',
      find: 'if (entry.sourceType !== undefined && entry.sourceType !== sourceType) return undefined',
      replace: '',
      killedBy: /^notifications\.preview 200: uses a target with a provider prefix only/,
    },
  ]),
  ...inFile(`${folder}/planning/target-list.ts`, [
    {
      name: 'a request may have 101 targets',
      find: 'export const maxTargetEntries = 100',
      replace: 'export const maxTargetEntries = 101',
      killedBy: /^notifications\.send 422: rejects more deliveries/,
    },
    {
      name: 'a request may have 99 targets',
      find: 'export const maxTargetEntries = 100',
      replace: 'export const maxTargetEntries = 99',
      killedBy: /^notifications\.preview 422: rejects more than 1,000 deliveries/,
    },
    {
      name: 'empty targets are ignored',
      find: `if (text === '') addError(`,
      replace: `if (text === '') void (`,
      killedBy: /^notifications\.send 422: sends nothing when a target is rejected/,
    },
    {
      name: 'white space around a target is not removed',
      find: 'const text = part.trim()',
      replace: 'const text = part',
      killedBy: /^notifications\.send 202: delivers to the request's targets instead of/,
    },
  ]),
  ...inFile(`${folder}/planning/schedule.ts`, [
    {
      name: 'a message may be scheduled 31 days ahead',
      find: 'export const maxDelayMs = 30 * 24',
      replace: 'export const maxDelayMs = 31 * 24',
      killedBy: /^notifications\.preview 422: rejects a message scheduled more than 30 days/,
    },
    {
      name: 'a message may be scheduled at most 29 days ahead',
      find: 'export const maxDelayMs = 30 * 24',
      replace: 'export const maxDelayMs = 29 * 24',
      killedBy: /^notifications\.preview 422: rejects a message scheduled more than 30 days/,
    },
    {
      name: 'a notification may expire after the year 9999',
      find: 'else if (expiresAt > maxTimestampMs) addExpiryIssue(',
      replace: 'else if (expiresAt > maxTimestampMs) void (',
      killedBy: /422: rejects an invalid reference, metadata or expires_at/,
    },
    {
      name: 'a message that is scheduled in the past has a time for its next attempt',
      find: 'at: at > nowMs ? at : undefined',
      replace: 'at: send_at === undefined ? undefined : at',
      killedBy: /^notifications\.cancel 200: does not change sent deliveries/,
    },
  ]),
  ...inFile(`${folder}/planning/plan-notification.ts`, [
    {
      name: 'a message over the limit of its provider is accepted',
      find: 'return errors.length > 0 ? rejectLongContent(errors) : undefined',
      replace: 'return undefined',
      killedBy: /^notifications\.send 422: rejects a message over its provider's limit, and names/,
    },
    {
      name: 'the deliveries of a request may have 64 MiB',
      find: 'const maxStoredBytes = 32 *',
      replace: 'const maxStoredBytes = 64 *',
      killedBy: /^notifications\.(send|preview) 422: rejects more than 32 MiB/,
    },
  ]),
  ...inFile(`${folder}/rendering/message-values.ts`, [
    {
      name: 'the subject is not escaped in HTML',
      find: 'subject: toMarkup(subject)',
      replace: 'subject',
      killedBy: /^notifications\.preview 200: escapes values/,
    },
    {
      name: 'line breaks are lost in HTML',
      find: `escapeHtml(value).replace(lineBreak, '<br>')`,
      replace: 'escapeHtml(value)',
      killedBy: /^notifications\.preview 200: converts/,
    },
    {
      name: 'an HTML message is escaped in HTML',
      find: `messageType === 'text/html' ? message : toMarkup(message)`,
      replace: 'toMarkup(message)',
      killedBy: /^notifications\.preview 200: inserts an HTML message/,
    },
    {
      name: 'an HTML message is sent as markup in plain text',
      find: `messageType === 'text/html' ? messageAsText() : message`,
      replace: 'message',
      killedBy: /^notifications\.preview 200: inserts an HTML message/,
    },
  ]),
  ...inFile(`${folder}/rendering/split-template.ts`, [
    {
      name: 'a template may have 33 placeholders',
      find: 'export const maxPlaceholders = 32',
      replace: 'export const maxPlaceholders = 33',
      killedBy: /^flows\.create 422: rejects 33 placeholders/,
    },
    {
      name: 'a template may have at most 31 placeholders',
      find: 'export const maxPlaceholders = 32',
      replace: 'export const maxPlaceholders = 31',
      killedBy: /^flows\.create 422: rejects more than 32 placeholders/,
    },
    {
      name: 'placeholders may contain blanks',
      find: '/\\{\\{(subject|message)\\}\\}/g',
      replace: '/\\{\\{\\s*(subject|message)\\s*\\}\\}/g',
      killedBy: /^notifications\.preview 200: replaces only exact placeholders, and/,
    },
    {
      name: 'the two characters \\n are a line break in HTML templates too',
      find: `type === 'text/plain' ? text.replace(lineBreak, '\\n') : text`,
      replace: `text.replace(lineBreak, '\\n')`,
      killedBy: /^notifications\.preview 200: converts/,
    },
  ]),
  ...inFile(`${folder}/rendering/template.ts`, [
    {
      name: 'a template of only {{message}} is escaped',
      find: 'const isUnmodified = parts.template === unmodifiedTemplate',
      replace: 'const isUnmodified = false',
      killedBy: /^notifications\.preview 200: renders the message unchanged/,
    },
    {
      name: 'an HTML template is sent as HTML to a chat',
      find: `const isHtml = parts.templateType === 'text/html' && channel.kind === 'email'`,
      replace: `const isHtml = parts.templateType === 'text/html'`,
      killedBy: /^notifications\.preview 200: escapes values/,
    },
    {
      name: 'an HTML email has no text alternative',
      find: 'createTextAlternative(split, values.text()), html: body }',
      replace: `'', html: body }`,
      killedBy: /^notifications\.preview 200: adds a text alternative/,
    },
    {
      name: 'values are not escaped for a chat',
      find: `channel.kind === 'chat' && channel.escape ? values.escaped(channel.escape) : values.text()`,
      replace: 'values.text()',
      killedBy: /^notifications\.preview 200: escapes values/,
    },
  ]),
  ...inFile(`${folder}/rendering/content.ts`, [
    {
      name: 'a request may render one byte more than 1 MiB',
      find: 'export const maxRenderedBytes = 1_048_576',
      replace: 'export const maxRenderedBytes = 1_048_600',
      killedBy: /^notifications\.send 422: rejects more than 1 MiB/,
    },
  ]),
  ...inFile(`${folder}/html/escape-html.ts`, [
    {
      name: 'quotes are not escaped in HTML',
      find: `/[&<>"']/g`,
      replace: '/[&<>]/g',
      killedBy: /^notifications\.preview 200: escapes values/,
    },
  ]),
  ...inFile(`${folder}/channels/slack.ts`, [
    {
      name: 'an ampersand is not escaped for Slack',
      find: 'value.replace(/[&<>]/g',
      replace: 'value.replace(/[<>]/g',
      killedBy: /^notifications\.preview 200: escapes values/,
    },
    {
      name: 'a Slack message may have 50,000 characters',
      find: 'limits: { textCharacters: 40_000 }',
      replace: 'limits: { textCharacters: 50_000 }',
      killedBy: /^notifications\.(send 422: rejects a message over|preview 200: reports a message)/,
    },
  ]),
]
