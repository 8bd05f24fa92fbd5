/** A service that the source configures, such as a mail server. It becomes an integration and one or more flows that use it. */
export interface ImportedService {
  readonly sourceType: string
  /** The recipients. Each recipient becomes a flow. */
  readonly targets: readonly string[]
  /**
   * The URL to send to. Present only if the provider stores its URLs by name in the secret `urls`. The import then adds the URL
   * to this secret under a generated name, and uses this name as the target of the flow.
   */
  readonly url?: string
  /** The message template of the flows. @default "{{message}}" */
  readonly template?: string
  readonly settings: Readonly<Record<string, unknown>>
  /** The secret values, keyed by name. A value is `undefined` if the source does not contain it. */
  readonly secrets: Readonly<Record<string, string | undefined>>
  /** Descriptions of what the import leaves out or changes, each with the reason. */
  readonly losses: readonly string[]
}

/** The imported service, or the reason why a part of the source cannot be imported. */
export type Mapping = ImportedService | { readonly reason: string }

/** A part of the source, such as one URL in an Apprise configuration, and where it was found. */
export interface ImportedPart {
  /** The place in the source, such as `line 3`. Contains no secrets. */
  readonly origin: string
  /** The labels of this part of the source, such as Apprise tags. The names of the imported flows contain these labels. */
  readonly labels: readonly string[]
  readonly mapping: Mapping
}
