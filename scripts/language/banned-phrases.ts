/** A name or phrase that the repository does not use, and what to write instead. Single words are in `cspell.json`. */
export interface BannedPhrase {
  /** The pattern of the name or phrase. A space in it also matches a line break within a comment or paragraph. */
  readonly pattern: RegExp
  readonly instead: string
  /** A text that the pattern matches, for the tests. */
  readonly example: string
}

const names: readonly BannedPhrase[] = [
  { pattern: /\bopenParts\b|\bParts\b(?! of)/, instead: 'Services', example: 'const parts: Parts' },
  { pattern: /\w*[lL]ookUps\w*/, instead: 'Cache', example: 'createLookUps()' },
  { pattern: /\bChangeListener\b|\btellAtCommit\b/, instead: 'InvalidationListener, publishOnCommit', example: 'ChangeListener' },
  { pattern: /\bnatural-?batch/i, instead: 'batcher', example: 'natural-batches.ts' },
  { pattern: /\bsecret-?box/i, instead: 'encryption', example: 'secretBox.seal' },
  { pattern: /\bisOneOf\b/, instead: 'anyUuid', example: 'isOneOf(column)' },
  { pattern: /\baskOwner\b|\bowner-protocol\b/, instead: 'sendCommand, control-socket', example: 'owner-protocol.ts' },
  { pattern: /\bannounceSettled\b/, instead: 'notifyCompleted', example: 'announceSettled()' },
  { pattern: /\bbacklogOf\b|\bcountWaiting\b/, instead: 'pending counts', example: 'countWaiting(user)' },
  { pattern: /\b(?:keepPace|hadSlot|takeSlots|destination-pace)\b/, instead: 'destination rate limit', example: 'keepPace(key)' },
  { pattern: /\bdispatch-?gate\b/i, instead: 'throttle', example: 'dispatchGate' },
  { pattern: /\bbegin-?attempts?\b/i, instead: 'start attempts', example: 'begin-attempts.ts' },
  { pattern: /\bsettle-?attempts?\b/i, instead: 'record outcomes', example: 'settleAttempts' },
  { pattern: /\bcancel-open\b|\bcredential-removed\b/, instead: 'cancel pending, revoke credential', example: 'cancel-open.ts' },
  { pattern: /\.wire(?:\.test)?\.ts\b/, instead: '*.serializer.ts', example: './flow.wire.ts' },
  { pattern: /\bCircumstances\b/, instead: 'SendContext', example: 'interface Circumstances' },
  { pattern: /\bsending-?project\b|\btriggered-?flows\b/i, instead: 'SendContext, matchingFlows', example: 'triggeredFlows' },
  { pattern: /\bcountedAs\b|\btoKept\b/, instead: 'rateLimitKey, StoredResponse', example: 'countedAs' },
  { pattern: /\bmost(?!Recent|ly)[A-Z]\w*|\blongest[A-Z]\w*|\blargest[A-Z]\w*/, instead: 'max…', example: 'mostWaiting' },
  { pattern: /\bleast[A-Z]\w*/, instead: 'min…', example: 'leastDelay' },
  { pattern: /\b(?:[A-Z]+_)*(?:MOST|LONGEST|LARGEST)_[A-Z_]+/, instead: 'MAX_…', example: 'FLOWPOST_RETRY_LONGEST_WAIT_SECONDS' },
  { pattern: /\bmake[A-Z]\w*/, instead: 'create…', example: 'makeFolder()' },
  { pattern: /\bfirstWait|_FIRST_WAIT/, instead: 'initialWait, INITIAL_WAIT', example: 'firstWaitMs' },
]

const phrases: readonly BannedPhrase[] = [
  { pattern: /\bof (?:its|their|his|our) own\b/, instead: '"its own …", "a separate …"', example: 'a process of its own' },
  { pattern: /\bby itself\b/, instead: '"alone", "automatically"', example: 'ends by itself' },
  { pattern: /\bas far as\b/, instead: 'say which part', example: 'as far as it is known' },
  { pattern: /\bso that none\b/, instead: '"so that no …"', example: 'so that none suffers' },
  { pattern: /\b(?:is|are|was|were|be) mended\b/, instead: '"fixed"', example: 'until it is mended' },
  { pattern: /\bdid not go well\b|\bdoes not go well\b/, instead: '"failed"', example: 'It did not go well' },
  { pattern: /\bthere is nothing to say\b/, instead: 'say what is missing', example: 'there is nothing to say' },
  { pattern: /\bha(?:s|ve|d) (?:a )?faults?\b/, instead: '"is invalid"', example: 'The request has faults' },
  { pattern: /\bfruitless claims?\b/, instead: 'claim backoff', example: 'a fruitless claim' },
  { pattern: /\bthe wire has it\b/, instead: '"as in the API"', example: 'as the wire has it' },
  { pattern: /\bthose that it left out\b/, instead: 'name them', example: 'those that it left out' },
  { pattern: /\bwhat was (?:looked up|read|found|kept)\b/, instead: 'a noun', example: 'keeps what was read' },
  {
    pattern: /(?<!\bconnections? (?:(?:is|are|was|were) )?)\brefused\b(?! (?:the )?connections?\b)/i,
    instead: 'rejected; only connections are refused',
    example: 'The request is refused',
  },
  { pattern: /\b(?:among|of) them all\b|\bwhoever\b/i, instead: 'name who', example: 'Whoever waits' },
]

const docComments: readonly BannedPhrase[] = [
  {
    pattern: /\/\*\* (?:What|Who|Whose|Those)\b(?!')/,
    instead: 'a verb for a function, a noun phrase for a type or constant',
    example: '/** What a worker does. */',
  },
]

/** Every banned name and phrase. */
export const bannedPhrases: readonly BannedPhrase[] = [...names, ...phrases, ...docComments]
