import type { Page } from '../page.ts'
import { createApiPages } from './api-pages.ts'
import { createCommandsPage } from './commands-page.ts'
import { createConfigurationPage } from './configuration-page.ts'
import { createFailuresPage } from './failures-page.ts'
import { createLogPage } from './log-page.ts'
import { createMetricsPage } from './metrics-page.ts'
import { createProblemPages } from './problem-pages.ts'
import { createVersionsPage } from './versions-page.ts'

/** Generates every page of the reference from the source code. */
export const createReference = async (): Promise<Page[]> => [
  ...createApiPages(),
  ...createProblemPages(),
  createConfigurationPage(),
  createFailuresPage(),
  createLogPage(),
  createVersionsPage(),
  await createMetricsPage(),
  await createCommandsPage(),
]
