/** Parses the recipient and text of a composed email. Shares no code with the composer, so that tests find the composer's bugs. */
export function parseMail(source: string): { readonly target: string; readonly text: string } {
  const { headers, parts } = parseMime(source)
  return { target: headers.get('to') ?? '', text: parts.get('text/plain') ?? '' }
}

/** Parses a MIME source. Returns unfolded headers, keyed by lower-case name, and decoded bodies, keyed by media type. */
export function parseMime(source: string): { readonly headers: Map<string, string>; readonly parts: Map<string, string> } {
  const end = source.indexOf('\r\n\r\n')
  const body = source.slice(end + 4)
  const lines = source
    .slice(0, end)
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
  const type = headers.get('content-type') ?? ''
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1]
  if (boundary === undefined) {
    return { headers, parts: new Map([[type.split(';')[0] ?? '', decodeBody(body, headers.get('content-transfer-encoding'))]]) }
  }
  const parts = new Map<string, string>()
  for (const part of body.split(`--${boundary}`).slice(1, -1)) {
    for (const [name, text] of parseMime(part.replace(/^\r\n/, '').replace(/\r\n$/, '')).parts) parts.set(name, text)
  }
  return { headers, parts }
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
