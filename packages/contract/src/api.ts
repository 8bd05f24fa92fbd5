import { initContract } from '@ts-rest/core'
import { apiKeys } from './api-keys.ts'
import { flows } from './flows.ts'
import { integrations } from './integrations.ts'
import { notifications } from './notifications.ts'
import { projects } from './projects.ts'
import { providers } from './providers.ts'
import { settings } from './settings.ts'

/** The HTTP API of Flowpost: every operation, defined once. */
export const api = initContract().router({ projects, flows, integrations, providers, apiKeys, settings, notifications })
