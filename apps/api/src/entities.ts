import { ApiKeyEntity } from './features/api-keys/api-key.entity.ts'
import { BulkActionEntity } from './features/bulk-actions/bulk-action.entity.ts'
import { AttemptEntity } from './features/delivery/attempts/attempt.entity.ts'
import { CapturedMessageEntity } from './features/delivery/attempts/captured-message.entity.ts'
import { DeliveryEntity } from './features/delivery/delivery.entity.ts'
import { MessageBodyEntity } from './features/delivery/message-body.entity.ts'
import { DeliveryJobEntity } from './features/delivery/queue/job.entity.ts'
import { RecipientDigestEntity, RecipientKeyEntity } from './features/delivery/recipients/recipient-digest.entity.ts'
import { SuppressionEntity } from './features/delivery/suppressions/suppression.entity.ts'
import { DestinationEntity } from './features/delivery/throttle/destination.entity.ts'
import { ErasureEntity } from './features/erasures/erasure.entity.ts'
import { EventAttemptEntity, EventEndpointEntity, EventEntity } from './features/events/event.entity.ts'
import { FlowEntity } from './features/flows/flow.entity.ts'
import { IntegrationEntity } from './features/integrations/integration.entity.ts'
import { NotificationEntity } from './features/notifications/notification.entity.ts'
import { ProjectEntity } from './features/projects/project.entity.ts'
import { ReportNonceEntity } from './features/receipts/report-nonce.entity.ts'
import { SettingsHistoryEntity, SettingsHistoryStartEntity } from './features/settings-history/settings-history.entity.ts'
import { IdempotencyKeyEntity } from './http/idempotency-key.entity.ts'

/** The entities of all tables. */
export const entities = [
  ProjectEntity,
  FlowEntity,
  IntegrationEntity,
  ApiKeyEntity,
  NotificationEntity,
  DeliveryEntity,
  DeliveryJobEntity,
  MessageBodyEntity,
  AttemptEntity,
  CapturedMessageEntity,
  DestinationEntity,
  RecipientDigestEntity,
  RecipientKeyEntity,
  SuppressionEntity,
  ErasureEntity,
  EventEntity,
  EventEndpointEntity,
  EventAttemptEntity,
  ReportNonceEntity,
  IdempotencyKeyEntity,
  BulkActionEntity,
  SettingsHistoryEntity,
  SettingsHistoryStartEntity,
]
