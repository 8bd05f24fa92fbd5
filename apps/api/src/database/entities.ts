import { ApiKeyEntity } from '../features/api-keys/api-key.entity.ts'
import { CapturedMessageEntity } from '../features/deliveries/captured-message.entity.ts'
import { ContentEntity } from '../features/deliveries/content.entity.ts'
import { AttemptEntity, DeliveryEntity } from '../features/deliveries/delivery.entity.ts'
import { DestinationEntity } from '../features/deliveries/destination.entity.ts'
import { FlowEntity } from '../features/flows/flow.entity.ts'
import { IntegrationEntity } from '../features/integrations/integration.entity.ts'
import { NotificationEntity } from '../features/notifications/notification.entity.ts'
import { ProjectEntity } from '../features/projects/project.entity.ts'
import { IdempotencyKeyEntity } from '../http/idempotency-key.entity.ts'

/** Every table that the ORM knows. The queue's tables are its engine's own. */
export const entities = [
  ProjectEntity,
  FlowEntity,
  IntegrationEntity,
  ApiKeyEntity,
  NotificationEntity,
  DeliveryEntity,
  ContentEntity,
  AttemptEntity,
  CapturedMessageEntity,
  DestinationEntity,
  IdempotencyKeyEntity,
]
