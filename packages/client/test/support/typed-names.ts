// cspell:ignore biling opsmail
/** A `flowpost.d.ts` file as `flowpost types` writes it. */
export const declarations = `import '@flowpost/client'

declare module '@flowpost/client' {
  interface KnownProjects {
    billing: {
      alerts: { override_target: true }
      'ops-mail': { override_target: false }
    }
    shop: {
      alerts: { override_target: false }
      orders: { override_target: false }
    }
    status: {
      pages: { override_target: true }
    }
    support: {
      alerts: { override_target: true }
    }
  }
}
`

const header = `import { createFlowpost, type FlowKey, type Flowpost, type Notification, type ProjectKey } from '@flowpost/client'
const { notifications } = createFlowpost({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fp_x' })
const text = { subject: 'a', message: 'b' }
`

/** A program that compiles with and without the declarations. */
export const validProgram = `${header}
export const byKey = (): Promise<Notification> => notifications.send({ project: 'billing', flow: 'ops-mail', ...text }, { idempotencyKey: 'a' })
export const all = () => notifications.send({ project: 'shop', ...text }).settled()
export const override = () => notifications.send({ project: 'billing', flow: 'alerts', ...text, target: 'C024BE91L' })
export const overrideAny = () => notifications.send({ project: 'billing', ...text, target: 'slack:C024BE91L' })
export const byId = () => notifications.send({ project_id: 'prj_1', flow_id: 'flw_1', ...text, target: 'ops@example.com' })
export const mixed = () => [notifications.send({ project_id: 'prj_1', flow: 'any', ...text }), notifications.send({ project: 'billing', flow_id: 'flw_1', ...text })]
export const absent = () => notifications.send({ project: 'billing', flow: undefined, target: undefined, ...text })
export const previews = () => notifications.preview({ project: 'billing', flow: 'alerts', ...text, target: 'C024BE91L' }, { timeout: 1 })
export const batch = () => notifications.sendBatch({ notifications: [
  { project: 'billing', flow: 'ops-mail', ...text, idempotency_key: 'a' },
  { project: 'billing', flow: 'alerts', ...text, target: 'C024BE91L' },
  { project: 'shop', ...text },
  { project_id: 'prj_1', flow: 'any', ...text, target: 'ops@example.com' },
] })
export const many = async () => {
  const items = function* () { yield { project: 'shop' as const, flow: 'orders' as const, ...text, order: 42 } }
  for await (const { item, notification } of notifications.sendMany(items())) console.log(item.order, notification?.id)
  for await (const { error } of notifications.sendMany([{ project: 'billing', flow: 'ops-mail', ...text }, { project_id: 'prj_1', ...text }])) console.log(error)
}
export const notify = (flow: FlowKey<'billing'>, project: ProjectKey) => [notifications.send({ project: 'billing', flow, ...text }), notifications.send({ project, ...text })]
export const anyOf = (project: 'billing' | 'support') => [notifications.send({ project, flow: 'alerts', ...text, target: 'C024BE91L' }), notifications.send({ project, ...text, target: 'slack:C024BE91L' })]
export const bare = (project: ProjectKey, flow: FlowKey) => [notifications.send({ project, flow, ...text }), notifications.send({ project: 'billing', flow: 'alerts' satisfies FlowKey, ...text })]
export const pair = (names: { project: 'billing'; flow: 'alerts' } | { project: 'shop'; flow: 'orders' }) => notifications.send({ ...names, ...text })
export const pairWithTarget = (names: { project: 'billing'; flow: 'alerts' } | { project: 'status'; flow: 'pages' }) => notifications.send({ ...names, ...text, target: 'C024BE91L' })
export const noSharedFlow = (project: 'billing' | 'status') => [notifications.send({ project, ...text, target: 'C024BE91L' }), notifications.send({ project, flow: 'pages', ...text })]
export const generic = <Project extends ProjectKey>(project: Project, flow: FlowKey<Project>) => notifications.send({ project, flow, ...text })
export const wrapped = (flowpost: Flowpost) => flowpost.notifications.get('ntf_1')
`

/**
 * Calls that compile without {@link declarations}. With the declarations, the compiler rejects each call with the message
 * beside it.
 */
export const invalidCalls: readonly (readonly [call: string, message: RegExp])[] = [
  [`notifications.send({ project: 'biling', ...text })`, /Type '"biling"' is not assignable to type '"billing" \| "/],
  [
    `notifications.send({ project: 'billing', flow: 'opsmail', ...text })`,
    /Type '"opsmail"' is not assignable to type '"(?:alerts" \| "ops-mail|ops-mail" \| "alerts)"/,
  ],
  [
    `notifications.send({ project: 'billing', flow: 'orders', ...text })`,
    /Type '"orders"' is not assignable to type '"(?:alerts" \| "ops-mail|ops-mail" \| "alerts)"/,
  ],
  [
    `notifications.send({ project: 'billing', flow: 'ops-mail', ...text, target: 'x@example.com' })`,
    /The flow ops-mail allows no target: its override_target is false\./,
  ],
  [
    `notifications.send({ project: 'shop', ...text, target: 'x@example.com' })`,
    /No flow of the project shop allows a target: override_target is false\./,
  ],
  [
    `notifications.preview({ project: 'billing', flow: 'orders', ...text })`,
    /Type '"orders"' is not assignable to type '"(?:alerts" \| "ops-mail|ops-mail" \| "alerts)"/,
  ],
  [`notifications.preview({ project: 'biling', ...text })`, /Type '"biling"' is not assignable/],
  [`notifications.send({ project: process_env as string, ...text })`, /Type 'string' is not assignable to type '"billing" \| "/],
  [`notifications.send({ project: process_env as 'billing' | 'shop', flow: 'pages', ...text })`, /Type '"pages"' is not assignable/],
  [
    `notifications.send({ project: process_env as 'billing' | 'shop', ...text, target: 'x@example.com' })`,
    /No flow of the project shop allows a target: override_target is false\./,
  ],
  [
    `notifications.send({ project: process_env as 'billing' | 'shop', flow: 'orders', ...text, target: 'x@example.com' })`,
    /The flow orders allows no target: its override_target is false\./,
  ],
  [`notifications.sendBatch({ notifications: [{ project: 'biling', ...text }] })`, /"biling"/],
  [`notifications.sendBatch({ notifications: [{ project: 'billing', flow: 'orders', ...text }] })`, /"orders"/],
  [
    `notifications.sendBatch({ notifications: [{ project: 'billing', flow: 'ops-mail', ...text, target: 'x@example.com' }] })`,
    /is not assignable/,
  ],
  [`notifications.sendMany([{ project: 'biling', ...text }])`, /"biling"/],
  [`notifications.sendMany([{ project: 'billing', flow: 'orders', ...text }])`, /"orders"/],
  [`notifications.sendMany([{ project: 'billing', flow: 'ops-mail', ...text, target: 'x@example.com' }])`, /is not assignable/],
]

/** A program that contains the invalid calls, one per line. */
export const invalidProgram = `${header}declare const process_env: unknown
export const calls = [
${invalidCalls.map(([call]) => `  () => ${call},`).join('\n')}
]
`
