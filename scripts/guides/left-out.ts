import type { Page } from './page.ts'

/** The guides with blocks that this test does not run, and the reasons. `CONTRIBUTING.md` lists the same guides. */
export const leftOut: Readonly<Record<string, string>> = {
  backup: 'the cron job uses folders of a production server',
  failover: 'three machines with Patroni, etcd and HAProxy',
  kubernetes: 'a cluster, a container engine and a registry for images',
  monitoring: 'promtool, if it is not installed',
  sizing: 'an idle machine, for minutes',
}

/** Skips the next block of a guide. @throws Error if {@link leftOut} does not contain the guide. */
export const leaveOut = (page: Page, guide: string, language: string): void => {
  if (leftOut[guide] === undefined) throw new Error(`The list of blocks that are left out does not contain ${guide}.`)
  page.take(language)
}
