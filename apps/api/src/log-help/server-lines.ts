import type { LogLine } from './log-line.ts'

/** The log lines about the process, requests, and access. */
export const serverLines: readonly LogLine[] = [
  {
    id: 'unknown-setting',
    level: 'warn',
    message: '… is not a known setting and is ignored.',
    cause: 'An environment variable starts with `FLOWPOST_`, but the server does not know it.',
    remedy: 'Correct the name of the variable, or remove the variable. [Configuration](/reference/configuration) lists all variables.',
  },
  {
    id: 'request-failed',
    level: 'error',
    message: 'request failed',
    cause: 'An unexpected error occurred. The client received 500 `internal`.',
    remedy: 'This is a bug. Report the error in `err` with its stack.',
  },
  {
    id: 'too-many-invalid-credentials',
    level: 'warn',
    message:
      'Too many invalid credentials from this address. For up to a minute, its requests are rate-limited unless their credential was valid recently. If the address belongs to a proxy, set FLOWPOST_TRUST_PROXY.',
    cause: 'Many requests from one `address` had an invalid key or token.',
    remedy: 'If the address belongs to your proxy, set `FLOWPOST_TRUST_PROXY`. Otherwise, find the client that uses an old key.',
  },
  {
    id: 'connection-limit',
    level: 'warn',
    message: 'Rejected connections because the connection limit was reached.',
    cause:
      'The process closed `rejected` connections, because `max_connections` were open. This limit is `FLOWPOST_MAX_CONNECTIONS`, or less if the open file limit is too low.',
    remedy: 'Add API processes, or raise `FLOWPOST_MAX_CONNECTIONS` and the open file limit. Check that clients reuse connections.',
  },
  {
    id: 'bootstrap-key-revoked',
    level: 'warn',
    message: 'A key in FLOWPOST_BOOTSTRAP_KEYS was revoked earlier and remains revoked. Replace it with a new key.',
    cause: 'Somebody revoked the key, perhaps because it leaked. A restart does not restore it.',
    remedy: 'Replace the key in `FLOWPOST_BOOTSTRAP_KEYS`.',
  },
  {
    id: 'last-used',
    level: 'warn',
    message: 'Could not record when API keys were last used; …',
    cause: 'A statement failed. Keys work, but `last_used_at` is older than the last use.',
    remedy: 'Nothing, unless the line repeats. `err` contains the reason.',
  },
  {
    id: 'data-folder-open',
    level: 'warn',
    message: 'Other users can open the data folder. Run: …',
    cause: 'The folder contains every message and the encryption key, and its mode gives other users of the machine access.',
    remedy: 'Run the command in the message.',
  },
  {
    id: 'key-file-readable',
    level: 'warn',
    message: 'Other users can read the encryption key file …. Set its mode to 0600.',
    cause: "The file's mode allows other users of the machine to read the encryption key.",
    remedy: 'Run `chmod 600` on the file. If others may have read the file, rotate the key.',
  },
  {
    id: 'secrets-unreadable',
    level: 'error',
    message: 'The secrets of an integration cannot be decrypted.',
    cause:
      "`FLOWPOST_ENCRYPTION_KEY` lacks the key `key_id`, with which the integration's secrets were encrypted, or has a different key with this id.",
    remedy: "Add the key again and restart. If the key is lost, store the project's credentials again.",
  },
  {
    id: 'recipient-key-unreadable',
    level: 'error',
    message: 'Could not decrypt the recipient digest key. …',
    cause:
      '`FLOWPOST_ENCRYPTION_KEY` lacks the encryption key with which the recipient digest key was encrypted. Searches by `target` and sends in projects with suppressed recipients receive a 503 response. Pending messages in these projects wait.',
    remedy:
      'Add the encryption key again and restart. If the key is lost, follow the instructions in the message. Flowpost then creates a new digest key, so existing suppressions no longer match any recipient.',
  },
  {
    id: 'operator-command-failed',
    level: 'error',
    message: 'Operator command failed.',
    cause: 'The server could not run a command such as `pnpm keys` or `pnpm secrets` on its embedded database.',
    remedy: '`err` contains the reason. Fix the problem, then run the command again.',
  },
  {
    id: 'sampler-argument',
    level: 'warn',
    message: 'OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1; using 1.',
    cause: "The variable's value is not a ratio.",
    remedy: 'Correct the variable; see [Tracing](/operate/telemetry#traces).',
  },
  {
    id: 'sampler',
    level: 'warn',
    message: 'OTEL_TRACES_SAMPLER must be one of …; using parentbased_always_on.',
    cause: "The variable's value is not a sampler name.",
    remedy: 'Correct the variable; see [Tracing](/operate/telemetry#traces).',
  },
  {
    id: 'trace-protocol',
    level: 'warn',
    message: 'OTEL_EXPORTER_OTLP_…=… is not supported; traces are sent via ….',
    cause: 'The server sends traces via OTLP over HTTP only.',
    remedy: "Use the collector's HTTP port, which is usually 4318, and remove the variable.",
  },
  {
    id: 'trace-export-failed',
    level: 'warn',
    message: 'Could not export traces; spans are dropped until the collector is reachable.',
    cause: 'The collector does not accept traces. Messages are not affected.',
    remedy: '`reason` says why. Check the collector and `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  },
  {
    id: 'trace-export-restored',
    level: 'info',
    message: 'The collector receives traces again.',
    cause: 'Exporting traces works again.',
    remedy: 'Nothing.',
  },
  {
    id: 'start-cleanup-failed',
    level: 'warn',
    message: 'Could not clean up after the failed start.',
    cause: 'The start failed. Closing the files and connections failed too.',
    remedy: 'Fix the error that made the start fail. It is printed after this line. Check that the process has ended.',
  },
  {
    id: 'shutdown-failed',
    level: 'error',
    message: 'Shutdown failed.',
    cause: 'A step of the shutdown failed. The process exits with code 1. Jobs in flight are taken over when their leases end.',
    remedy: '`err` contains the error. If the line repeats, report it.',
  },
  {
    id: 'shutdown-slow',
    level: 'error',
    message: 'The shutdown took longer than … s; exiting now.',
    cause: 'PostgreSQL or a provider did not respond in time. Jobs in flight are taken over when their leases end.',
    remedy: 'Check the database and the provider.',
  },
  {
    id: 'fatal',
    level: 'fatal',
    message: '…',
    cause:
      'The process cannot continue, for example because its clock is wrong, or because it cannot use its database. The line contains the message of the error.',
    remedy: 'Read the message. Let the process manager restart the process. The new process takes over the jobs.',
  },
]
