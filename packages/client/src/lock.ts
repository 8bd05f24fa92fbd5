/** A flow in a lock file. */
export interface LockedFlow {
  readonly name: string
  readonly active: boolean
  readonly source_type: string
  /** Absent unless `flowpost types` ran with `--with-targets`. */
  readonly target?: string | undefined
  readonly override_target: boolean
  /** The template if it has one line, otherwise a list of its lines. With a list, a diff shows only the lines that change. */
  readonly message_template: string | readonly string[]
  readonly message_template_type: string
}

/** A project in a lock file. */
export interface LockedProject {
  readonly name: string
  /** The digest of all settings. It covers the flows' targets even if the file does not contain them. */
  readonly digest: string
  /** The flows, each under its own `key`. */
  readonly flows: Readonly<Record<string, LockedFlow>>
  /** The integrations without their secrets, keyed by provider. */
  readonly integrations: Readonly<Record<string, { readonly settings: Readonly<Record<string, unknown>> }>>
}

/** The file `flowpost.lock.json`, which `flowpost types` writes. It contains no ids and no secrets. */
export interface FlowpostLock {
  readonly lockfile_version: number
  /** The projects, each under its own `key`. */
  readonly projects: Readonly<Record<string, LockedProject>>
}

/** The digests of a lock file: the part of {@link FlowpostLock} that a client uses. */
export interface LockedDigests {
  /** The projects, each under its own `key`. */
  readonly projects: Readonly<Record<string, Pick<LockedProject, 'digest'>>>
}

/** A project whose settings on the server no longer match the lock file. */
export interface SettingsDrift {
  /** The key of the project. */
  readonly project: string
}
