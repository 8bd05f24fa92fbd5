/** The part of a source that becomes flows and the integration that they use. */
export interface ImportedService {
  readonly sourceType: string
  /** The recipients. Each becomes a flow. */
  readonly targets: readonly string[]
  /** The URL to send to, for providers whose targets are names of URLs. It becomes a secret. */
  readonly url?: string
  /** @default "{{message}}" */
  readonly template?: string
  readonly settings: Readonly<Record<string, unknown>>
  /** The values of secrets, by name. `undefined` if the source does not contain the value. */
  readonly secrets: Readonly<Record<string, string | undefined>>
  /** The parts of the source that the result lacks, each with the reason. */
  readonly losses: readonly string[]
}

/** The service that was imported from a part of a source, or the reason why the part cannot be imported. */
export type Mapping = ImportedService | { readonly reason: string }

/** A part of a source, and how to find it. */
export interface ImportedPart {
  /** The place in the source, such as `line 3`. Contains no secrets. */
  readonly origin: string
  /** Names of the part, such as tags. */
  readonly labels: readonly string[]
  readonly mapping: Mapping
}
