import type { Page } from './page.ts'

/** The guides with blocks that the guide tests do not run, and the reason for each. `CONTRIBUTING.md` lists the same guides. */
export const leftOut: Readonly<Record<string, string>> = {
  backup: 'the cron job uses folders of a production server',
  failover: 'needs three machines with Patroni, etcd and HAProxy',
  kubernetes: 'needs a cluster, a container engine and a registry for images',
  monitoring: 'needs promtool, which may not be installed',
  sizing: 'needs an idle machine for minutes',
}

/** Skips the next block of a guide. @throws Error if {@link leftOut} does not contain the guide. */
export const leaveOut = (page: Page, guide: string, language: string): void => {
  if (leftOut[guide] === undefined)
    throw new Error(`A block of ${guide} is skipped, but left-out.ts does not list the guide. Add it with the reason.`)
  page.take(language)
}
