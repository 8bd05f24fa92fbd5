import type { DefineCommand } from './command-context.ts'

/** A command. Its module is loaded only when it is needed, so that every command starts quickly. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  readonly load: () => Promise<DefineCommand>
}

const connect = 'Connect'
const messages = 'Messages'
const settings = 'Settings'
const tools = 'Tools'

/** All commands, in the order in which the help lists them. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'login',
    summary: 'store a server and an API key',
    group: connect,
    load: async () => (await import('./commands/login.ts')).defineLogin,
  },
  {
    name: 'whoami',
    summary: 'show the server, the key and its permissions',
    group: connect,
    load: async () => (await import('./commands/whoami.ts')).defineWhoami,
  },
  {
    name: 'env',
    summary: 'list, select and remove stored servers',
    group: connect,
    load: async () => (await import('./commands/env.ts')).defineEnv,
  },
  {
    name: 'doctor',
    summary: 'find problems with the connection, the key and the flows',
    group: connect,
    load: async () => (await import('./commands/doctor.ts')).defineDoctor,
  },
  {
    name: 'dev',
    summary: 'start a server for this folder and apply its config file',
    group: connect,
    load: async () => (await import('./commands/dev.ts')).defineDev,
  },
  {
    name: 'send',
    summary: 'send a notification',
    group: messages,
    load: async () => (await import('./commands/send.ts')).defineSend,
  },
  {
    name: 'preview',
    summary: 'show what a notification would send, without sending it',
    group: messages,
    load: async () => (await import('./commands/preview.ts')).definePreview,
  },
  {
    name: 'watch',
    summary: 'follow a notification until it is completed',
    group: messages,
    load: async () => (await import('./commands/watch.ts')).defineWatch,
  },
  {
    name: 'log',
    summary: 'list and follow notifications, or show one in full',
    group: messages,
    load: async () => (await import('./commands/log.ts')).defineLog,
  },
  {
    name: 'retry',
    summary: 'retry failed and ambiguous deliveries, by notification or in bulk',
    group: messages,
    load: async () => (await import('./commands/retry.ts')).defineRetry,
  },
  {
    name: 'cancel',
    summary: 'cancel pending deliveries, by notification or in bulk',
    group: messages,
    load: async () => (await import('./commands/cancel.ts')).defineCancel,
  },
  {
    name: 'events',
    summary: 'read the event feed, or forward events to a local receiver',
    group: messages,
    load: async () => (await import('./commands/events.ts')).defineEvents,
  },
  {
    name: 'check',
    summary: 'check every flow with its provider, without sending',
    group: settings,
    load: async () => (await import('./commands/check.ts')).defineCheck,
  },
  {
    name: 'keys',
    summary: 'list, create and revoke API keys',
    group: settings,
    load: async () => (await import('./commands/keys.ts')).defineKeys,
  },
  {
    name: 'suppressions',
    summary: 'list, add and remove suppressed recipients',
    group: settings,
    load: async () => (await import('./commands/suppressions.ts')).defineSuppressions,
  },
  {
    name: 'erase',
    summary: "erase a recipient's data from the log",
    group: settings,
    load: async () => (await import('./commands/erase.ts')).defineErase,
  },
  {
    name: 'plan',
    summary: 'show what `apply` would change',
    group: settings,
    load: async () => (await import('./commands/plan.ts')).definePlan,
  },
  {
    name: 'apply',
    summary: 'make a project match a config file',
    group: settings,
    load: async () => (await import('./commands/apply.ts')).defineApply,
  },
  {
    name: 'drift',
    summary: 'compare the server with a config file',
    group: settings,
    load: async () => (await import('./commands/drift.ts')).defineDrift,
  },
  {
    name: 'pull',
    summary: "write a project's settings to a config file",
    group: settings,
    load: async () => (await import('./commands/pull.ts')).definePull,
  },
  {
    name: 'types',
    summary: 'write the lock file, and types for project and flow keys',
    group: settings,
    load: async () => (await import('./commands/types.ts')).defineTypes,
  },
  {
    name: 'history',
    summary: 'list settings changes, with their time, author and changed fields',
    group: settings,
    load: async () => (await import('./commands/history.ts')).defineHistory,
  },
  {
    name: 'validate',
    summary: 'check a config file, without a server',
    group: settings,
    load: async () => (await import('./commands/validate.ts')).defineValidate,
  },
  {
    name: 'import',
    summary: 'write a config file from Apprise URLs or exported projects',
    group: settings,
    load: async () => (await import('./commands/import.ts')).defineImport,
  },
  {
    name: 'completion',
    summary: 'print the completion script for a shell',
    group: tools,
    load: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
]
