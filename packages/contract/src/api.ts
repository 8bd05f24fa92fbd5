import { initContract } from '@ts-rest/core'
import { flows } from './flows.ts'
import { notifications } from './notifications.ts'
import { projects } from './projects.ts'

/** The whole HTTP interface of Flowpost: every operation once. */
export const api = initContract().router({ projects, flows, notifications })
