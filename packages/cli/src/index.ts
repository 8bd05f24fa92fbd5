export type {
  Config,
  EventEndpointConfig,
  EventType,
  FlowConfig,
  HtmlTemplate,
  IntegrationConfig,
  SecretReference,
  SourceType,
} from './settings/config-types.ts'
export { defineConfig, html } from './settings/define-config.ts'
