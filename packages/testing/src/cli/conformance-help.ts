/** The help text of `flowpost-conformance`. */
export const conformanceHelp = `Checks a running Flowpost server against the API contract.

  npx flowpost-conformance --base-url https://flowpost.example.com --api-key fp_...
  npx flowpost-conformance --model --base-url https://flowpost.example.com --api-key fp_...

  --base-url <url>        The URL of the server. Default: FLOWPOST_BASE_URL.
  --api-key <key>         An API key with all scopes and access to all projects. Default: FLOWPOST_API_KEY.
  --other-api-key <key>   Another user's API key. Without this option, scenarios with two users are skipped.
                          Default: FLOWPOST_OTHER_API_KEY.
  --receiver <r>          The receiver of messages, such as smtp:ops@example.com. Without --deliver, messages are scheduled
                          days ahead and canceled. Default: smtp:conformance@example.com.
  --deliver               Deliver messages to the receiver. Without this option, scenarios that deliver messages are
                          skipped, and --model schedules its messages and then cancels them.
  --unconfigured <name>   A provider for which the deployment has no credentials: mailgun, smtp or slack. Without
                          this option, scenarios about missing credentials are skipped.
  --captures              Set this if the deployment captures messages for providers without credentials instead of
                          rejecting the messages. Ignored without --unconfigured.
  --body-limit <bytes>    The deployment's FLOWPOST_BODY_LIMIT_BYTES. Default: 1048576.
  --timeout <seconds>     The time limit of one scenario, 1 to 3600 seconds. Some scenarios wait up to 30 s for a delivery.
                          Default: 60, or more for a scenario that must wait longer.
  --only <pattern>        Run only the scenarios whose name matches this regular expression.
  --model                 Instead of running scenarios, compare the server with the mock: send the same random
                          sequences of requests to both and compare the responses. The user of the API key must have
                          no projects. Requires fast-check.
  --runs <number>         The number of sequences. Default: 100.
  --steps <number>        The maximum number of requests in a sequence, after up to four initial requests that create
                          resources. Default: 30.
  --seed <number>         The seed of the sequences. Default: a random one.
  --path <path>           Start with the sequence that failed in an earlier run. That run printed the path. Requires --seed.
  --list                  List the scenarios by operation and status without running them.
  --help                  Show this help.

The command deletes the projects and API keys that it creates. Canceled deliveries remain in the delivery log until their
retention period ends. The rate limit of the API key must allow several thousand requests per minute. With --model, the
command waits when the server returns 429.
`
