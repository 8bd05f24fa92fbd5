import type { LogLine } from './log-line.ts'

/** The log lines about the process, requests, and access. */
export const serverLines: readonly LogLine[] = [
  {
    id: 'unknown-setting',
    level: 'warn',
    message: '… is not a known setting and is ignored.',
    cause: 'An environment variable starts with `FLOWPOST_` but is not a Flowpost setting.',
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
      'Too many invalid credentials from this address. For up to a minute, requests from the address are rate-limited, except those whose credential was accepted recently. If the address belongs to a proxy, set FLOWPOST_TRUST_PROXY.',
    cause: 'Many requests from the IPv4 address or IPv6 /64 network in `address` had an invalid key or token.',
    remedy:
      'If the address belongs to your proxy, set `FLOWPOST_TRUST_PROXY`. Otherwise, find the client that sends an invalid key or token.',
  },
  {
    id: 'connection-limit',
    level: 'warn',
    message: 'Rejected connections because the connection limit was reached.',
    cause:
      'The process closed new connections, because the maximum number of connections was open. `rejected` is the number of closed connections. `max_connections` is the maximum: `FLOWPOST_MAX_CONNECTIONS`, or less if the open file limit is too low.',
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
    cause: 'A database statement failed. API keys still work, but their `last_used_at` is out of date.',
    remedy: 'No action is needed unless the line repeats. `err` contains the reason.',
  },
  {
    id: 'data-folder-open',
    level: 'warn',
    message: 'Other users can open the data folder. Run: …',
    cause:
      "The folder's mode gives other users of the machine access. The folder contains all messages and may contain the encryption key.",
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
      'The secrets were encrypted with the key whose id is in `key_id`. The server does not have this key, or has a different key with the same id.',
    remedy: "Add the key to `FLOWPOST_ENCRYPTION_KEY` again and restart. If the key is lost, set the integration's secrets again.",
  },
  {
    id: 'recipient-key-unreadable',
    level: 'error',
    message: 'Could not decrypt the recipient digest key. …',
    cause:
      'The recipient digest key was encrypted with a key that is not in `FLOWPOST_ENCRYPTION_KEY`. Searches by `target` receive a 503 response. In projects with suppressed recipients, requests to send also receive a 503 response, and pending messages wait.',
    remedy:
      'Add the missing encryption key to `FLOWPOST_ENCRYPTION_KEY` again and restart. If the encryption key is lost, the digest key cannot be recovered. In that case, replace the digest key as the log line describes. After the replacement, existing suppressions no longer match any recipient.',
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
    remedy: 'No action is needed.',
  },
  {
    id: 'start-cleanup-failed',
    level: 'warn',
    message: 'Could not clean up after the failed start.',
    cause: 'The server failed to start, and could not close some files or connections.',
    remedy: 'Fix the startup error, which is printed after this line. Check that the process has ended.',
  },
  {
    id: 'shutdown-failed',
    level: 'error',
    message: 'Shutdown failed.',
    cause:
      'A step of the shutdown failed. The process exits with code 1. A running worker takes over the jobs in flight when their leases end.',
    remedy: '`err` contains the error. If the line repeats, report it.',
  },
  {
    id: 'shutdown-slow',
    level: 'error',
    message: 'The shutdown took longer than … s; exiting now.',
    cause:
      'PostgreSQL or a provider did not respond within this limit, so some jobs may be unfinished. A running worker takes them over when their leases end.',
    remedy: 'Check the database and the provider.',
  },
  {
    id: 'fatal',
    level: 'fatal',
    message: '…',
    cause:
      'The process cannot continue, for example because its clock is wrong, or because it cannot use its database. The line contains the error message.',
    remedy: 'Fix the problem that the message describes. Let the process manager restart the process. The new process takes over the jobs.',
  },
]
