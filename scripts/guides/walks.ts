import type { Walk } from './walk.ts'
import { followDiscord, followSlack, followTeams } from './walks/chats.ts'
import { followSettingsAsCode, followTesting } from './walks/code.ts'
import { followGetStarted, followIdempotency, followSmtp } from './walks/first-messages.ts'
import { followCustomProvider, followMailgun } from './walks/mail-services.ts'
import { followMoveFromApprise, followMoveFromNovu, followMoveFromQueue } from './walks/moves.ts'
import { followBackup, followMonitoring, followSizing, followUpgrading } from './walks/operations.ts'
import { followEvents, followWebhooks } from './walks/receivers.ts'

/**
 * The walk of each page, keyed by the page's path in `docs`. A guide has no walk if a test can run none of its blocks.
 * `left-out.ts` says why.
 */
export const walks: Readonly<Record<string, Walk>> = {
  'get-started': followGetStarted,
  'guides/smtp': followSmtp,
  'guides/slack': followSlack,
  'guides/discord': followDiscord,
  'guides/teams': followTeams,
  'guides/mailgun': followMailgun,
  'guides/webhooks': followWebhooks,
  'guides/events': followEvents,
  'guides/idempotency': followIdempotency,
  'guides/testing': followTesting,
  'guides/settings-as-code': followSettingsAsCode,
  'guides/custom-provider': followCustomProvider,
  'guides/move-from-apprise': followMoveFromApprise,
  'guides/move-from-novu': followMoveFromNovu,
  'guides/move-from-queue': followMoveFromQueue,
  'guides/backup': followBackup,
  'guides/monitoring': followMonitoring,
  'guides/upgrading': followUpgrading,
  'guides/sizing': followSizing,
}
