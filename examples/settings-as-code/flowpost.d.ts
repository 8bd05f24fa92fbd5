// Written by `flowpost types`. Do not edit.
import '@flowpost/client'

declare module '@flowpost/client' {
  interface KnownProjects {
    billing: {
      alerts: { override_target: true }
      'ops-mail': { override_target: false }
    }
  }
}
